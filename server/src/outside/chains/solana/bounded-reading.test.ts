import { base58 } from '@scure/base';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { REASONS } from '../../../../test/support/failing-steps.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createWindow } from '../rpc/window.ts';
import { readBlocks } from './read-blocks.ts';

const MINUTE_MS = 60_000;
const bytes = (number: number, length: number) => {
  const filled = new Uint8Array(length).fill(7);
  new DataView(filled.buffer).setUint32(0, number);
  return base58.encode(filled);
};
const [PAYER, MERCHANT] = [bytes(1, 32), bytes(2, 32)];
const hashOf = (slot: number) => bytes(1_000 + slot, 32);
const signatureOf = (slot: number, at: number) => bytes(1_000 * slot + at, 64);
const LAST = 31;
/** More than are read one by one, so that every third block is read whole. */
const paymentsIn = (slot: number) => (slot % 3 === 0 ? 9 : 1);

const CALLS = ['the slots', 'the listings', 'the whole blocks', 'the transactions'] as const;

afterEach(() => vi.restoreAllMocks());

describe.each(CALLS)('a step of Solana blocks of which %s fail over more than one block', (which) => {
  test.each(REASONS)('with %s is narrowed to one block, and reading goes on', async (_, failure) => {
    let elapsedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
    const widths: number[] = [];
    const provider = providerThatFails(which, failure, widths);
    const solana = { mints: new Map(), log: pino({ level: 'silent' }), unreadable: new Map(), shown: new Map() };
    const window = createWindow(24, 24);
    const found = new Set<string>();
    let after = { number: 1n, hash: hashOf(1), time: new Date(0) };
    for (let attempt = 0; attempt < 60 && after.number < LAST; attempt += 1) {
      elapsedMs += MINUTE_MS;
      const range = { after, until: BigInt(LAST), watched: new Set([MERCHANT]) };
      const reading = await readBlocks(solana, provider, range, window).catch(() => undefined);
      for (const transfer of reading?.transfers ?? []) found.add(transfer.txHash);
      after = reading?.covered ?? after;
    }
    expect(after.number).toBe(BigInt(LAST));
    expect(found.size).toBe(20 + 10 * 9);
    // A whole block that is refused is read in single transactions, so the step need not be smaller.
    if (which !== 'the whole blocks') expect(widths).toContain(1);
  });
});

/** A provider one of whose calls fails in each step over more than one block. */
function providerThatFails(
  which: (typeof CALLS)[number],
  failure: (method: string) => Error,
  widths: number[],
): Provider {
  let width = 0;
  const answer = (call: Call<unknown>): { value: unknown } | { error: RpcError } => {
    const [first, second] = call.params as [unknown, { transactionDetails?: string } & number];
    if (call.method === 'getBlocksWithLimit') {
      width = Math.min((second as number) - 1, LAST - Number(first));
      widths.push(width);
    }
    if (width > 1 && kindOf(call.method, second?.transactionDetails) === which) {
      const error = failure(call.method);
      if (error instanceof RpcError) return { error };
      throw error;
    }
    switch (call.method) {
      case 'getBlocksWithLimit':
        return { value: call.parse(Array.from({ length: LAST + 1 - Number(first) }, (_, at) => Number(first) + at)) };
      case 'getBlock':
        return { value: call.parse(blockOf(Number(first), second.transactionDetails)) };
      default:
        return { value: call.parse(transactionOf(first as string)) };
    }
  };
  const call = async (asked: Call<unknown>) => {
    const answered = answer(asked);
    if ('error' in answered) throw answered.error;
    return answered.value;
  };
  return {
    name: 'node',
    call,
    attempt: async (calls: Call<unknown>[]) => calls.map(answer),
  } as unknown as Provider;
}

function kindOf(method: string, details: string | undefined): (typeof CALLS)[number] {
  if (method === 'getBlocksWithLimit') return 'the slots';
  if (method === 'getTransaction') return 'the transactions';
  return details === 'full' ? 'the whole blocks' : 'the listings';
}

function blockOf(slot: number, details: string | undefined) {
  const signatures = Array.from({ length: paymentsIn(slot) }, (_, at) => signatureOf(slot, at));
  return {
    blockhash: hashOf(slot),
    previousBlockhash: hashOf(slot - 1),
    parentSlot: slot - 1,
    blockTime: 1_700_000_000 + slot,
    ...(details === 'accounts' && { transactions: signatures.map(listed) }),
    ...(details === 'full' && { transactions: signatures.map(transactionOf) }),
  };
}

const META = {
  err: null,
  fee: 5,
  preBalances: [100, 0],
  postBalances: [55, 40],
  preTokenBalances: [],
  postTokenBalances: [],
  innerInstructions: [],
};

const listed = (signature: string) => ({
  meta: META,
  transaction: {
    signatures: [signature],
    accountKeys: [PAYER, MERCHANT].map((pubkey) => ({ pubkey, signer: pubkey === PAYER })),
  },
});

function transactionOf(signature: string) {
  const number = new DataView(base58.decode(signature).buffer).getUint32(0);
  return {
    slot: Math.floor(number / 1_000),
    transaction: {
      signatures: [signature],
      message: {
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
        accountKeys: [PAYER, MERCHANT],
        instructions: [],
      },
    },
    meta: META,
  };
}
