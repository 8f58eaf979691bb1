import { base58 } from '@scure/base';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import { createWindow } from '../rpc/window.ts';
import { findBlock } from './calls.ts';
import { emptyHistory, HISTORY_LIMITS } from './history.ts';
import type { Listing } from './listing.ts';
import { readListed } from './read.ts';
import { readBlocks } from './read-blocks.ts';
import { toListing } from './shapes.ts';
import type { Solana } from './solana.ts';
import { concerns } from './transfers.ts';

const MINUTE_MS = 60_000;
const key = (fill: number, length = 32) => base58.encode(new Uint8Array(length).fill(fill));
const [PAYER, MERCHANT, HASH, UNREADABLE, GOOD] = [key(1), key(2), key(3), key(4, 64), key(5, 64)];
const after = { number: 76n, hash: HASH, time: new Date(0) };

let now = 0;
let alarms: unknown[];
let solana: Solana;

beforeEach(() => {
  now = 0;
  alarms = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const log = pino(
    { level: 'error' },
    { write: (line) => alarms.push((JSON.parse(line) as { alarm: unknown }).alarm) },
  );
  solana = { mints: new Map(), log, unreadable: new Map(), shown: new Map() };
});
afterEach(() => vi.restoreAllMocks());

test('an unreadable transaction is retried, and then skipped with an alarm instead of delaying all others', async () => {
  await expect(read()).rejects.toThrow(ProviderError);
  now = 9 * MINUTE_MS;
  await expect(read()).rejects.toThrow(`returned ${UNREADABLE} in an unreadable form`);
  expect(alarms).toEqual([]);

  now = 11 * MINUTE_MS;
  const { transfers, covered } = await read();

  expect(transfers).toMatchObject([{ txHash: GOOD, to: MERCHANT, amountUnits: 40n }]);
  expect(covered.number).toBe(77n);
  expect(alarms).toEqual(['transaction_unreadable']);
});

test('a transaction of a version that no node supports is treated the same', async () => {
  const unknown = {
    error: { code: -32015, message: 'Transaction version (7) is not supported by the requesting client' },
  };
  await expect(read(unknown)).rejects.toThrow('version (7)');
  now = 11 * MINUTE_MS;
  expect((await read(unknown)).transfers).toMatchObject([{ txHash: GOOD }]);
});

test('a provider with an unrelated response is retried indefinitely', async () => {
  for (const garbage of [
    { value: {} },
    { value: transaction(GOOD) },
    { error: { code: -32603, message: 'internal error' } },
  ]) {
    now = 0;
    await expect(read(garbage)).rejects.toThrow();
    now = 60 * MINUTE_MS;
    await expect(read(garbage)).rejects.toThrow();
  }
});

test('once it has been read, the time starts again', async () => {
  await expect(read()).rejects.toThrow();
  now = 9 * MINUTE_MS;
  expect((await read({ value: transaction(UNREADABLE) })).transfers).toHaveLength(2);
  now = 11 * MINUTE_MS;
  await expect(read()).rejects.toThrow();
});

test('many unreadable transactions are retried together, so they delay reading no longer than one', async () => {
  const others = Array.from({ length: 5 }, (_, at) => key(100 + at, 64));
  await expect(read(undefined, others)).rejects.toThrow(ProviderError);
  now = 11 * MINUTE_MS;
  expect((await read(undefined, others)).transfers).toMatchObject([{ txHash: GOOD }]);
  expect(alarms).toHaveLength(6);
});

describe('the listing of a block', () => {
  const entry = (signature: string, account: string, meta: unknown = { err: null, postTokenBalances: [] }) => ({
    meta,
    transaction: { signatures: [signature], accountKeys: [{ pubkey: account, signer: true }] },
  });
  const unreadable = (signature: string, account: string, meta: unknown = {}) => ({
    meta,
    transaction: { signatures: [signature], accounts: [account] },
  });
  const watched = new Set([MERCHANT]);

  test('is read although a transaction has an unknown form, which is requested in full only if it mentions a wallet', () => {
    const listing = toListing([
      entry(GOOD, PAYER),
      unreadable(UNREADABLE, MERCHANT),
      unreadable(key(6, 64), PAYER),
      entry(key(7, 64), MERCHANT),
    ]);
    expect(listing.filter((listed) => concerns(listed, watched)).map(({ signature }) => signature)).toEqual([
      UNREADABLE,
      key(7, 64),
    ]);
  });

  test('requests a transaction without metadata in full, because its recipients are unknown', () => {
    expect(toListing([entry(UNREADABLE, PAYER, null)]).filter((listed) => concerns(listed, watched))).toMatchObject([
      { signature: UNREADABLE, failed: null },
    ]);
  });

  test.each([
    ['an entry without a signature', [{}]],
    ['more unreadable entries than the limit', Array.from({ length: 21 }, () => entry(UNREADABLE, PAYER, null))],
  ])('is rejected with %s', (_, entries) => expect(() => toListing(entries)).toThrow(MalformedAnswerError));
});

test.each([
  ['is found', 1_700_000_000, { slot: 77n }],
  ['is not found while its time is unknown', null, null],
])('a block %s', async (_, blockTime, expected) => {
  const block = { blockhash: HASH, previousBlockhash: HASH, parentSlot: 76, blockTime };
  const provider = {
    name: 'node',
    attempt: (calls: Call<unknown>[]) => Promise.resolve(calls.map((call) => ({ value: call.parse(block) }))),
  } as unknown as Provider;
  const found = findBlock(provider, 77n);
  if (expected === null) expect(await found).toBeNull();
  else expect(await found).toMatchObject(expected);
});

test('an entry of a whole block that is readable only in full is read', async () => {
  const message = { signatures: [GOOD], accountKeys: [{ pubkey: MERCHANT, signer: true }] };
  const block = {
    blockhash: HASH,
    previousBlockhash: HASH,
    parentSlot: 76,
    blockTime: 1_700_000_000,
    transactions: [{ transaction: message, meta: null }],
  };
  const answer = ({ method }: Call<unknown>) =>
    method === 'getBlocksWithLimit' ? [76, 77] : method === 'getBlock' ? block : transaction(GOOD);
  const provider = {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
  const range = { after, until: 77n, watched: new Set([MERCHANT]) };
  const { transfers } = await readBlocks(solana, provider, range, createWindow());
  expect(transfers).toMatchObject([{ txHash: GOOD, to: MERCHANT, amountUnits: 40n }]);
});

type Answer = { value: unknown } | { error: { code: number; message: string } };

/** Reads a listing of two transactions. `unreadable` is the provider's response for the first one. */
function read(
  unreadable: Answer = { value: { ...transaction(UNREADABLE), meta: { nothing: 'of what we know' } } },
  others: readonly string[] = [],
) {
  const alike = others.map((signature) => [signature, { value: { ...transaction(signature), meta: null } }] as const);
  const answers: Record<string, Answer> = {
    ...Object.fromEntries(alike),
    [UNREADABLE]: unreadable,
    [GOOD]: { value: transaction(GOOD) },
  };
  const block = { value: { blockhash: HASH, previousBlockhash: HASH, parentSlot: 76, blockTime: 1_700_000_000 } };
  const provider = {
    name: 'node',
    get proven() {
      return this;
    },
    attempt: (calls: Call<unknown>[]) =>
      Promise.resolve(
        calls.map((call) => {
          const answer = call.method === 'getBlock' ? block : (answers[call.params[0] as string] as Answer);
          return 'value' in answer
            ? { value: call.parse(answer.value) }
            : { error: Object.assign(new Error(answer.error.message), answer.error) };
        }),
      ),
  } as unknown as Provider;
  const entries = new Map(
    [UNREADABLE, ...others, GOOD].map((signature) => [signature, { signature, slot: 77n, failed: false }]),
  );
  const listing: Listing = {
    after,
    covers: 77n,
    accounts: new Set(),
    open: [],
    ...emptyHistory(HISTORY_LIMITS),
    entries,
  };
  return readListed(solana, provider, listing, { watched: new Set([MERCHANT]), slots: new Map() });
}

function transaction(signature: string) {
  return {
    slot: 77,
    transaction: {
      signatures: [signature],
      message: {
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
        accountKeys: [PAYER, MERCHANT],
        instructions: [],
      },
    },
    meta: {
      err: null,
      fee: 5,
      preBalances: [100, 0],
      postBalances: [55, 40],
      preTokenBalances: [],
      postTokenBalances: [],
      innerInstructions: [],
    },
  };
}
