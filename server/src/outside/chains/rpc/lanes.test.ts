import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Client } from '../../../platform/http/admission/client.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { createRpcChain, type ChainAdapter } from './chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

const found = { transfers: [], reverted: null };

function chainOf(findTransaction: ChainAdapter['findTransaction']) {
  const provider = { name: 'one' } as Provider;
  const providers: Providers = {
    names: ['one'],
    use: (work) => work(provider),
    unreachableMs: () => 0,
    health: () => [],
    close: async () => {},
  };
  const adapter = {
    maxLag: 1n,
    usualBlockMs: null,
    log: pino({ level: 'silent' }),
    toTxHash: (text: string) => text,
    findTransaction,
  } as unknown as ChainAdapter;
  return createRpcChain(providers, adapter, {});
}

const watching = { addresses: new Set(['shop']) };

test('a proof and a payout are looked up though hints have used their budget up', async () => {
  const chain = chainOf(async () => found);
  let hints = 0;
  const hint = () => chain.transaction(`hint ${hints}`, watching, { budget: 'hint' });
  for (; hints < 120; hints += 1) expect(await hint()).toEqual({ ...found, provider: 'one' });
  await expect(hint()).rejects.toBeInstanceOf(TemporaryError);
  for (const budget of ['proof', 'payout'] as const)
    expect(await chain.transaction(budget, watching, { budget, client: Client.only('acc') })).toEqual({
      ...found,
      provider: 'one',
    });
});

test('a payout that was unknown a moment ago is looked up again, within a budget of its own', async () => {
  const answers = [undefined, found];
  const chain = chainOf(async () => (answers.length > 0 ? answers.shift() : found));
  const payout = () => chain.transaction('payout', watching, { budget: 'payout' });
  expect(await payout()).toBe(undefined);
  expect(await payout()).toEqual({ ...found, provider: 'one' });
  for (let lookups = 2; lookups < 120; lookups += 1) await payout();
  await expect(payout()).rejects.toBeInstanceOf(TemporaryError);
});
