import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../src/outside/chains/evm/balances.ts';
import {
  blockByNumber,
  blockContents,
  chainPin,
  fullBlockByNumber,
  hasCodeAt,
  isContractAt,
  receiptOf,
  transactionOf,
} from '../../../../src/outside/chains/evm/calls.ts';
import { isUnsupported, isWindowTooWide } from '../../../../src/outside/chains/evm/refusals.ts';
import {
  orNull,
  toBlock,
  toFullBlock,
  toLog,
  toReceipt,
  toTransaction,
} from '../../../../src/outside/chains/evm/shapes.ts';
import { fromCallTracer, fromParity } from '../../../../src/outside/chains/evm/trace.ts';
import { isRateLimit, RpcError } from '../../../../src/outside/chains/rpc/errors.ts';
import {
  fingerprints,
  historyOf,
  latestBlockhash,
  slotsBetween,
  slotsFrom,
  timedBlock,
  transactionOf as solanaTransactionOf,
  UnreadableTransaction,
} from '../../../../src/outside/chains/solana/calls.ts';
import { accountAt } from '../../../../src/outside/chains/solana/account-kind.ts';
import { toSlot, toTransaction as toSolanaTransaction } from '../../../../src/outside/chains/solana/shapes.ts';
import { areMissing, count, type Raw, type Recording, recordings } from './recordings.ts';

// Recorded, but not used by the service: the tests of traces compare other methods with it.
const NOT_ASKED = new Set(['trace_replayBlockTransactions']);
const TRACED = (value: unknown) =>
  (value as Raw[]).map((entry, at) => (entry.txHash as string | undefined) ?? `0x${at.toString(16).padStart(64, '0')}`);

/** Parses an answer as the adapters do; for an unused method, by a call with the same shape. */
const READERS: Record<string, (value: unknown, params: readonly any[]) => unknown> = {
  eth_chainId: (value) => chainPin(1).parse(value),
  eth_getBalance: toBalance,
  eth_getCode: (value, [address]) => [hasCodeAt(address).parse(value), isContractAt(address).parse(value)],
  eth_getBlockByNumber(value, [tag, full]) {
    const number = /^0x/i.test(tag) ? BigInt(tag) : tag === 'earliest' ? 0n : undefined;
    const light = blockByNumber(number ?? tag).parse(value);
    if (full) return number === undefined ? orNull(toFullBlock)(value) : fullBlockByNumber(number).parse(value);
    if (number !== undefined) blockContents(number).parse(value);
    return light;
  },
  eth_getBlockByHash: (value, [, full]) => orNull<unknown>(full ? toFullBlock : toBlock)(value),
  eth_getTransactionByHash: (value, [hash]) => transactionOf(hash.toLowerCase()).parse(value),
  eth_getTransactionByBlockHashAndIndex: orNull(toTransaction),
  eth_getTransactionByBlockNumberAndIndex: orNull(toTransaction),
  eth_getTransactionReceipt: (value, [hash]) => receiptOf(hash.toLowerCase()).parse(value),
  eth_getBlockReceipts: orNull((value) => (value as unknown[]).map(toReceipt)),
  eth_getLogs: (value) => ((value ?? []) as unknown[]).map(toLog),
  trace_block: (value) => fromParity(value),
  trace_transaction: (value) => fromParity(value),
  debug_traceBlockByHash: (value) => fromCallTracer(value, TRACED(value)),
  debug_traceBlockByNumber: (value) => fromCallTracer(value, TRACED(value)),
  debug_traceTransaction: (value) => fromCallTracer([{ result: value }], ['0x']),
  getTransaction: (value, [signature]) => read(solanaTransactionOf(signature, 'finalized', 0).parse(value)),
  getBlock(value, [slot]) {
    const block = timedBlock(value, BigInt(slot));
    // Without its time a block counts as one that the node does not have yet, whatever it contains.
    return block && [block, (value as Raw).transactions.map((entry: Raw) => toSolanaTransaction({ ...entry, slot }))];
  },
  getBlocks: (value, [first, last]) => slotsBetween(BigInt(first), BigInt(last), 'finalized').parse(value),
  getBlocksWithLimit: (value, [first, limit]) => slotsFrom(BigInt(first), limit, 'finalized').parse(value),
  getFirstAvailableBlock: (value) => toSlot(value, 'slot'),
  getLatestBlockhash: latestBlockhash.parse,
  getSignaturesForAddress: (value, [address, options]) =>
    historyOf(address, { limit: options.limit, atLeast: 0n }).parse(value),
  getAccountInfo: (value, [address]) => accountAt(address).parse(value),
  getMultipleAccounts: (value, [addresses]) => fingerprints(addresses, 0n).parse(value),
};

describe.skipIf(areMissing)('recorded answers of real nodes', () => {
  const all = recordings();

  test('all are there', () => {
    const chains = new Set(all.map(({ file }) => file));
    expect(all.length).toBeGreaterThanOrEqual(1_610);
    expect(chains.size).toBeGreaterThanOrEqual(16);
  });

  test('every one is accepted', () => {
    const answers = all.filter(({ error, method }) => error === undefined && !NOT_ASKED.has(method));
    const refused = answers.flatMap((recording) => {
      try {
        READERS[recording.method]!(recording.result, recording.params);
        return [];
      } catch (error) {
        return isRefusalOfNode(recording, error)
          ? []
          : [
              `${recording.file} ${recording.method} ${JSON.stringify(recording.params).slice(0, 100)}: ${(error as Error).message}`,
            ];
      }
    });
    console.info(`replayed ${answers.length} answers: ${count(answers.map(({ method }) => method))}`);
    expect(refused).toEqual([]);
  });

  test('every error is taken for what it says', () => {
    const errors = all.flatMap(({ method, error }) =>
      error === undefined ? [] : [new RpcError(method, error.code, error.message)],
    );
    console.info(
      `replayed ${errors.length} errors: ${count(errors.map(({ message }) => message.split(':')[0] as string))}`,
    );
    // None of these errors means that the node does not support the method, so none may switch anything off.
    expect(errors.filter(isUnsupported).map(({ message }) => message)).toEqual([]);
    expect(errors.filter(isRateLimit).map(({ message }) => message)).toEqual([]);
    const tooWide = errors
      .filter((error) => error.message.startsWith('eth_getLogs') && isWindowTooWide(error))
      .map(({ message }) => message);
    expect(tooWide).toContain('eth_getLogs: eth_getLogs is limited to a 1000 blocks range (-32000)');
    expect(tooWide.filter((message) => /beyond current head|invalid block range/.test(message))).toEqual([]);
  });

  test('a Solana block without a time is not there yet, and transactions without a record of what they changed cannot be read', () => {
    const untimed = all.filter(({ method, result }) => method === 'getBlock' && (result as Raw).blockTime === null);
    expect(untimed).toHaveLength(1);
    for (const { result, params } of untimed) {
      expect(READERS.getBlock!(result, params)).toBeNull();
      for (const entry of (result as Raw).transactions as Raw[]) {
        const [signature] = entry.transaction.signatures as [string];
        expect(solanaTransactionOf(signature, 'finalized', 0).parse({ ...entry, slot: params[0] })).toBeInstanceOf(
          UnreadableTransaction,
        );
      }
    }
  });
});

function read<T>(answer: T | UnreadableTransaction): T {
  if (answer instanceof UnreadableTransaction) throw new Error(answer.why);
  return answer;
}

/**
 * Erigon returns null for a balance if it does not have the block; this is read as the error that other nodes return.
 */
function isRefusalOfNode({ method, result }: Recording, error: unknown): boolean {
  return method === 'eth_getBalance' && result === null && error instanceof RpcError;
}
