import { base58 } from '@scure/base';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProviderFailure } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { emptyHistory } from './history.ts';
import type { Listing } from './listing.ts';
import { readListed } from './read.ts';
import type { Solana } from './solana.ts';

const MINUTE_MS = 60_000;
const key = (fill: number, length = 32) => base58.encode(new Uint8Array(length).fill(fill));
const [PAYER, MERCHANT, HASH, ODD, GOOD] = [key(1), key(2), key(3), key(4, 64), key(5, 64)];
const after = { number: 76n, hash: HASH, time: new Date(0) };

let now = 0;
let alarms: unknown[];
let solana: Solana;

beforeEach(() => {
  now = 0;
  alarms = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const log = pino({ level: 'error' }, { write: (line) => alarms.push((JSON.parse(line) as { alarm: unknown }).alarm) });
  solana = { mints: new Map(), log, unreadable: new Map() };
});
afterEach(() => vi.restoreAllMocks());

test('a transaction that nobody can read is waited for, and passed over with an alarm rather than holding up everybody', async () => {
  await expect(read()).rejects.toThrow(ProviderFailure);
  now = 9 * MINUTE_MS;
  await expect(read()).rejects.toThrow(`returned ${ODD} in a form that cannot be read`);
  expect(alarms).toEqual([]);

  now = 11 * MINUTE_MS;
  const { transfers, covered } = await read();

  expect(transfers).toMatchObject([{ txHash: GOOD, to: MERCHANT, amountUnits: 40n }]);
  expect(covered.number).toBe(77n);
  expect(alarms).toEqual(['transaction_unreadable']);
});

test('so is one of a version that no node tells us of', async () => {
  const unknown = { error: { code: -32015, message: 'Transaction version (7) is not supported by the requesting client' } };
  await expect(read(unknown)).rejects.toThrow('version (7)');
  now = 11 * MINUTE_MS;
  expect((await read(unknown)).transfers).toMatchObject([{ txHash: GOOD }]);
});

test('a provider that answers with something else altogether is waited for as long as it takes', async () => {
  for (const garbage of [{ value: {} }, { value: transaction(GOOD) }, { error: { code: -32603, message: 'internal error' } }]) {
    now = 0;
    await expect(read(garbage)).rejects.toThrow();
    now = 60 * MINUTE_MS;
    await expect(read(garbage)).rejects.toThrow();
  }
});

test('once it has been read, the time begins anew', async () => {
  await expect(read()).rejects.toThrow();
  now = 9 * MINUTE_MS;
  expect((await read({ value: transaction(ODD) })).transfers).toHaveLength(2);
  now = 11 * MINUTE_MS;
  await expect(read()).rejects.toThrow();
});

type Answer = { value: unknown } | { error: { code: number; message: string } };

/** Reads a listing of two transactions, the first of which the provider answers so. */
function read(odd: Answer = { value: { ...transaction(ODD), meta: { nothing: 'of what we know' } } }) {
  const answers: Record<string, Answer> = { [ODD]: odd, [GOOD]: { value: transaction(GOOD) } };
  const block = { value: { blockhash: HASH, previousBlockhash: HASH, parentSlot: 76, blockTime: 1_700_000_000 } };
  const provider = {
    name: 'node',
    attempt: (calls: Call<unknown>[]) => Promise.resolve(calls.map((call) => {
      const answer = call.method === 'getBlock' ? block : (answers[call.params[0] as string] as Answer);
      return 'value' in answer ? { value: call.parse(answer.value) } : { error: Object.assign(new Error(answer.error.message), answer.error) };
    })),
  } as unknown as Provider;
  const entries = new Map([ODD, GOOD].map((signature) => [signature, { signature, slot: 77n, failed: false }]));
  const listing: Listing = { after, covers: 77n, accounts: new Set(), open: [], ...emptyHistory(), entries };
  return readListed(solana, provider, listing, new Set([MERCHANT]));
}

function transaction(signature: string) {
  return {
    slot: 77,
    transaction: { signatures: [signature], message: { header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 }, accountKeys: [PAYER, MERCHANT], instructions: [] } },
    meta: { err: null, fee: 5, preBalances: [100, 0], postBalances: [55, 40], preTokenBalances: [], postTokenBalances: [], innerInstructions: [] },
  };
}
