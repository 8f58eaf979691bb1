import { RECEIVE_NETWORKS } from '@quittance/contract';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Config } from '../../config.ts';
import { createChains } from './registry.ts';

test('a production server that trusts a single provider of a network warns of it at the start', async () => {
  const start = async (profile: Config['profile'], rpcUrls: string[]) => {
    const lines: { network?: string; msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const settings = { rpcUrls: [] as string[], chainId: null, genesisHash: null, tokens: {} };
    const networks = Object.fromEntries(RECEIVE_NETWORKS.map((network) => [network, settings]));
    const config = { profile, networks: { ...networks, base: { ...settings, rpcUrls } } } as unknown as Config;
    for (const chain of createChains(config, log).values()) await chain.close();
    return lines;
  };
  expect(await start('production', ['https://one.example'])).toMatchObject([
    { network: 'base', msg: expect.stringContaining('settles alone') },
  ]);
  expect(await start('production', ['https://one.example', 'https://two.example'])).toEqual([]);
  expect(await start('development', ['https://one.example'])).toEqual([]);
});
