import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { collectHistory, emptyHistory, HISTORY_LIMITS } from './history.ts';

const SHOP = base58.encode(new Uint8Array(32).fill(1));
const EXCHANGE = base58.encode(new Uint8Array(32).fill(2));
const LIMITS = { ...HISTORY_LIMITS, maxPages: 2, maxEntries: 500 };
const FROM_START = { after: 0n, atLeast: 0n };

const signatureOf = (account: string, at: number) =>
  base58.encode(Buffer.concat([base58.decode(account), Buffer.from(at.toString(16).padStart(64, '0'), 'hex')]));

test('of a sparse history only the oldest entries are stored, and all of them up to the reported slot', async () => {
  const history = emptyHistory(LIMITS);
  await collectHistory(providerOf({ [EXCHANGE]: slots(3_500, 3) }), history, [EXCHANGE], {
    after: 100n,
    atLeast: 100n,
  });

  expect(history.busy.size).toBe(0);
  expect(history.entries.size).toBeLessThanOrEqual(500);
  const held = slots(3_500, 3).filter((slot) => slot > 100 && BigInt(slot) <= (history.heldUpTo as bigint));
  expect([...history.entries.values()].map((entry) => Number(entry.slot)).toSorted((a, b) => a - b)).toEqual(held);
  expect(held.length).toBeGreaterThan(100);
});

test('a slot is stored completely or not at all', async () => {
  const history = emptyHistory(LIMITS);
  const perSlot = 7;
  const all = slots(2_000, 30).flatMap((slot) => Array.from({ length: perSlot }, () => slot));
  await collectHistory(providerOf({ [EXCHANGE]: all }), history, [EXCHANGE], FROM_START);

  for (const [, some] of Map.groupBy(history.entries.values(), (entry) => entry.slot))
    expect(some).toHaveLength(perSlot);
});

test('an account that appears in most slots becomes busy after the allowed pages, and is not listed further', async () => {
  const history = emptyHistory(LIMITS);
  const provider = providerOf({ [EXCHANGE]: slots(10_000, 1).flatMap((slot) => [slot, slot]), [SHOP]: [50, 9_000] });
  await collectHistory(provider, history, [EXCHANGE, SHOP], { after: 10n, atLeast: 10n });

  expect([...history.busy]).toEqual([EXCHANGE]);
  expect(provider.pages).toBeLessThanOrEqual(5);
  expect([...history.quiet.values()].map((entry) => entry.slot)).toEqual([9_000n, 50n]);
});

test('a short history is stored completely', async () => {
  const history = emptyHistory(LIMITS);
  await collectHistory(providerOf({ [EXCHANGE]: slots(450, 1), [SHOP]: [7] }), history, [EXCHANGE, SHOP], FROM_START);
  expect(history).toMatchObject({ heldUpTo: null, busy: new Set() });
  expect(history.entries.size).toBe(451);
  expect(history.quiet.size).toBe(1);
});

test('a history that repeats itself is rejected', async () => {
  const provider = providerOf({ [EXCHANGE]: slots(5_000, 1) }, { ignoresBefore: true });
  await expect(collectHistory(provider, emptyHistory(LIMITS), [EXCHANGE], FROM_START)).rejects.toThrow(ProviderError);
});

test('further pages of a node that does not know the first one are no end of the history', async () => {
  const all = slots(30, 10);
  const known = all.filter((slot) => slot <= 100);
  const provider = providerOf({ [SHOP]: all }, { furtherPages: { [SHOP]: known } });
  const history = emptyHistory(LIMITS);
  await expect(collectHistory(provider, history, [SHOP], FROM_START)).rejects.toThrow(ProviderBehindError);

  await collectHistory(providerOf({ [SHOP]: all }), history, [SHOP], FROM_START);
  expect(history.entries.size).toBe(30);
});

test('further pages come from a node that has reached where the first one ended', async () => {
  const provider = providerOf({ [SHOP]: slots(30, 10), [EXCHANGE]: [7] });
  await collectHistory(provider, emptyHistory(LIMITS), [SHOP, EXCHANGE], { after: 0n, atLeast: 5n });
  expect(provider.atLeast.slice(0, 4)).toEqual([5, 5, 120, 7]);
});

/** The first `count` multiples of `every`. */
function slots(count: number, every: number): number[] {
  return Array.from({ length: count }, (_, at) => (at + 1) * every);
}

/** A node, or a load balancer before one that is asked for further pages. */
function providerOf(
  histories: Record<string, number[]>,
  { ignoresBefore = false, furtherPages = histories } = {},
): Provider & { pages: number; atLeast: number[] } {
  const provider = {
    name: 'node',
    pages: 0,
    atLeast: [] as number[],
    batch: async (calls: Call<unknown>[]) =>
      calls.map((call) => {
        provider.pages += 1;
        const [account, { limit, before, minContextSlot }] = call.params as [
          string,
          { limit: number; before?: string; minContextSlot: number },
        ];
        provider.atLeast.push(minContextSlot);
        const entries = ((before === undefined ? histories : furtherPages)[account] ?? [])
          .map((slot, at) => ({ signature: signatureOf(account, at), slot, err: null }))
          .toReversed();
        if (before === undefined || ignoresBefore) return call.parse(entries.slice(0, limit));
        // A node answers with an empty page for one that it does not know.
        const at = entries.findIndex((entry) => entry.signature === before);
        return call.parse(at < 0 ? [] : entries.slice(at + 1, at + 1 + limit));
      }),
  };
  return provider as unknown as Provider & { pages: number; atLeast: number[] };
}
