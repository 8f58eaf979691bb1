import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import type { Call, Provider } from '../rpc/provider.ts';
import { emptyHistory, HISTORY_LIMITS } from './history.ts';
import { include, type Listing, listMore } from './listing.ts';

const accounts = Array.from({ length: 50 }, (_, at) => base58.encode(new Uint8Array(32).fill(at + 1)));

test('two reads of a listing that overlap take no account for listed that neither has asked for', async () => {
  const asked = new Set<string>();
  const answer = Promise.withResolvers<void>();
  const provider = {
    name: 'node',
    batch: async (calls: Call<unknown>[]) => {
      for (const { params } of calls) asked.add(params[0] as string);
      await answer.promise;
      return calls.map((call) => call.parse([]));
    },
  } as unknown as Provider;
  const listing: Listing = {
    after: { number: 1n, hash: '', time: new Date(0) },
    covers: 9n,
    accounts: new Set(),
    open: [],
    ...emptyHistory(HISTORY_LIMITS),
  };
  include(listing, accounts);

  const reads = [listMore(provider, listing, 20), listMore(provider, listing, 20)];
  answer.resolve();
  await Promise.all(reads);
  expect([...asked, ...listing.open].toSorted()).toEqual(accounts.toSorted());
});
