import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Client } from '../../../platform/http/admission/client.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { createRpcChain, type ChainAdapter } from './chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

test('a proof is looked up though hints have used their budget up', async () => {
  const provider = { name: 'one' } as Provider;
  const providers: Providers = {
    names: ['one'],
    use: (work) => work(provider),
    unreachableMs: () => 0,
    health: () => [],
    close: async () => {},
  };
  const found = { transfers: [], reverted: null };
  const adapter = {
    maxLag: 1n,
    usualBlockMs: null,
    log: pino({ level: 'silent' }),
    toTxHash: (text: string) => text,
    findTransaction: async () => found,
  } as unknown as ChainAdapter;
  const chain = createRpcChain(providers, adapter, {});
  const watching = { addresses: new Set(['shop']) };

  let hints = 0;
  const hint = () => chain.transaction(`hint ${hints}`, watching, { budget: 'hint' });
  for (; hints < 120; hints += 1) expect(await hint()).toEqual({ ...found, provider: 'one' });
  await expect(hint()).rejects.toBeInstanceOf(TemporaryError);
  expect(await chain.transaction('proof', watching, { budget: 'proof', client: Client.only('acc') })).toEqual({
    ...found,
    provider: 'one',
  });
});
