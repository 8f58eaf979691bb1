import type { Logger } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createProviders, type Providers } from '../rpc/providers.ts';
import { createWindow } from '../rpc/window.ts';
import {
  blocksOf,
  hashOf,
  hex,
  onePaymentEach,
  PAYER,
  payment,
  receiptOf,
  SHOP,
  TOKEN,
  txHash,
} from '../../../../test/support/evm-answers.ts';
import { failingOverOneBlock, REASONS, STEP_CALLS } from '../../../../test/support/failing-steps.ts';
import { evmWith, logOfAlarms } from '../../../../test/support/evm-read.ts';
import { chainPin } from './calls.ts';
import type { Evm } from './evm.ts';
import type { EvmContext } from './native.ts';
import { readTokens } from './read.ts';
import { readBlocks } from './read-blocks.ts';
import { TRANSFER_TOPIC } from './logs.ts';
import { ShownBlocks } from './shown-blocks.ts';

const MINUTE_MS = 60_000;
const [MALFORMED, GOOD] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
const BUSY = Array.from({ length: 12 }, (_, at) => txHash(at));
const WATCHED = new Map([[SHOP, SHOP]]);

let now = 0;
let alarms: unknown[];
let evm: Evm;

beforeEach(() => {
  now = 0;
  alarms = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  evm = evmWith({
    network: 'polygon',
    chainId: 137,
    tokens: new Map([[TOKEN, 'USDC']]),
    native: null,
    log: logOfAlarms(alarms),
  });
});
afterEach(() => vi.restoreAllMocks());

describe('a busy block that is read whole', () => {
  test.each([
    ['whose transaction is unreadable', { transaction: { hash: MALFORMED, kind: 'a message from another chain' } }],
    ['whose receipt is unreadable', { receipt: { transactionHash: MALFORMED, status: 'fine' } }],
    ['that is not in the block', { transaction: null }],
  ])('waits ten minutes for a log %s, and skips it with an alarm', async (_, malformed) => {
    await expect(read(malformed, BUSY)).rejects.toThrow(MALFORMED);
    now = 9 * MINUTE_MS;
    await expect(read(malformed, BUSY)).rejects.toThrow(MALFORMED);
    now = 11 * MINUTE_MS;
    expect((await read(malformed, BUSY)).transfers.map((transfer) => transfer.txHash)).toEqual(BUSY);
    expect(alarms).toEqual(['log_without_receipt']);
  });

  test('waits for many unreadable logs no longer than for one', async () => {
    const malformed = Array.from({ length: 9 }, (_, at) => txHash(0x100 + at));
    await expect(read({ transaction: null }, BUSY, malformed)).rejects.toThrow(ProviderError);
    now = 11 * MINUTE_MS;
    expect((await read({ transaction: null }, BUSY, malformed)).transfers).toHaveLength(BUSY.length);
    expect(alarms).toHaveLength(malformed.length);
  });

  test('is rejected if its receipts do not contain a log or belong to another block', async () => {
    await expect(read({ receipt: null }, BUSY)).rejects.toThrow('its receipt does not contain the log');
    await expect(read({ receipt: { ...receiptFor(MALFORMED, []), blockHash: hashOf(9) } }, BUSY)).rejects.toThrow(
      ProviderError,
    );
  });
});

describe('a window with very many logs', () => {
  test('is narrowed until a step has at most 2,000, without skipping any', async () => {
    const perBlock = 100;
    const provider = providerOf((number) =>
      Array.from({ length: perBlock }, (_, at) => logOf(txHash(number * 1_000 + at), at, number)),
    );
    const window = createWindow();
    const found = new Set<string>();
    let steps = 0;
    for (let after = { number: 1n, hash: hashOf(1), time: new Date(0) }; after.number < 301n; steps += 1) {
      const { transfers, covered } = await readTokens(
        { evm, shown: new ShownBlocks() } as EvmContext,
        provider,
        { after, until: 301n, watched: WATCHED },
        window,
      );
      expect(transfers.length).toBeLessThanOrEqual(2_000);
      for (const transfer of transfers) found.add(transfer.txHash);
      after = covered;
    }
    expect(found.size).toBe(300 * perBlock);
    expect(steps).toBeLessThan(40);
  });

  test('is narrowed if the response times out', async () => {
    const provider = providerOf(() => [], 100);
    const window = createWindow();
    const after = { number: 1n, hash: hashOf(1), time: new Date(0) };
    let failures = 0;
    for (;;) {
      try {
        expect(
          (
            await readTokens(
              { evm, shown: new ShownBlocks() } as EvmContext,
              provider,
              { after, until: 501n, watched: WATCHED },
              window,
            )
          ).covered.number,
        ).toBeLessThanOrEqual(101n);
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(ProviderError);
        expect((failures += 1)).toBeLessThan(4);
      }
    }
  });
});

describe.each(STEP_CALLS)('a step of blocks or logs of which %s fails over more than one block', (which) => {
  test.each(REASONS)('with %s is narrowed to one block, and reading goes on', async (reason, failure) => {
    // Asked again at once, a provider that does not answer would hold the network.
    const counts = reason === 'no answer in time';
    for (const kind of ['blocks', 'tokens'] as const) {
      // Tokens are found by logs, and these blocks are read whole with their receipts.
      if (kind === 'tokens' && (which === 'the blocks' || which === 'the receipts')) continue;
      // Whole blocks name the block before, which is asked for only if it was replaced.
      if (kind === 'blocks' && which === 'the block before') continue;
      const plain =
        kind === 'blocks'
          ? onePaymentEach()
          : providerOf((number) => BUSY.map((_, at) => logOf(txHash(number * 100 + at), at, number)));
      const widths: number[] = [];
      const provider = failingOverOneBlock(plain, which, { failure, widths });
      const context = {
        evm: kind === 'blocks' ? { ...evm, network: 'ethereum', native: 'ETH', tokens: new Map() } : evm,
        providers: { names: ['node'] },
        tracer: { block: async () => undefined },
        shown: new ShownBlocks(),
        balances: new Map(),
      } as unknown as EvmContext;
      const window = kind === 'blocks' ? createWindow(24, 24) : createWindow(24, 500);
      const pool = poolOf(provider);
      const found = new Set<string>();
      let counted = 0;
      let after = { number: 1n, hash: hashOf(1), time: new Date(0) };
      for (let attempt = 0; attempt < 60 && after.number < 31n; attempt += 1) {
        const range = { after, until: 31n, watched: WATCHED };
        const read = kind === 'blocks' ? readBlocks : readTokens;
        const reading = await pool.use((one) => read(context, one, range, window)).catch(() => undefined);
        counted += pool.health()[0]?.healthy ? 0 : 1;
        for (const transfer of reading?.transfers ?? []) found.add(transfer.txHash);
        after = reading?.covered ?? after;
      }
      expect(after.number).toBe(31n);
      expect(found.size).toBe(kind === 'blocks' ? 30 : 30 * BUSY.length);
      expect(widths).toContain(1);
      expect(counted > 0).toBe(counts);
    }
  });
});

test('a step ends before more than 2,000 payments, without skipping any', async () => {
  const perBlock = 300;
  const provider = blocksOf(
    (number) => Array.from({ length: perBlock }, (_, at) => payment(txHash(number * 1_000 + at), number)),
    (hash) => receiptOf(hash, Math.floor(Number(BigInt(hash) & 0xffffffn) / 1_000)),
  );
  const context = {
    evm: { ...evm, network: 'ethereum', native: 'ETH', tokens: new Map() },
    providers: { names: ['node'] },
    tracer: { block: async () => undefined },
    shown: new ShownBlocks(),
    balances: new Map(),
  } as unknown as EvmContext;
  const window = createWindow(4, 24);
  const found = new Set<string>();
  for (let after = { number: 1n, hash: hashOf(1), time: new Date(0) }; after.number < 61n; ) {
    const { transfers, covered } = await readBlocks(
      context,
      provider,
      { after, until: 61n, watched: new Map([[SHOP, SHOP]]) },
      window,
    );
    expect(transfers.length).toBeLessThanOrEqual(2_000);
    for (const transfer of transfers) found.add(transfer.txHash);
    after = covered;
  }
  expect(found.size).toBe(60 * perBlock);
});

/** The health of a provider is noted, and it is asked again at once after a failure. */
function poolOf(provider: Provider): Providers {
  const pauseMs = { first: 0, longest: 0 };
  return createProviders(['node'], { pin: chainPin(1), pauseMs, open: () => provider }, evm.log as Logger);
}

type ReadProblem = { receipt?: unknown; transaction?: unknown };

/** Reads block 8, which has some transfers. `malformed` is the provider's response for the `malformedHashes`. */
function read(
  malformed: ReadProblem,
  good: readonly string[] = [GOOD],
  malformedHashes: readonly string[] = [MALFORMED],
) {
  const logs = [...malformedHashes, ...good].map((hash, index) => logOf(hash, index));
  const provider = providerOf(
    (number) => (number === 8 ? logs : []),
    Number.POSITIVE_INFINITY,
    (hash) => (malformedHashes.includes(hash) ? malformed : {}),
  );
  return readTokens(
    { evm, shown: new ShownBlocks() } as EvmContext,
    provider,
    { after: { number: 7n, hash: hashOf(7), time: new Date(0) }, until: 8n, watched: WATCHED },
    createWindow(),
  );
}

/**
 * A provider whose blocks have these logs, each in its own transaction. Queries over more than `widest` blocks time
 * out.
 */
function providerOf(
  logsIn: (number: number) => ReturnType<typeof logOf>[],
  widest = Number.POSITIVE_INFINITY,
  problemOf: (hash: string) => ReadProblem = () => ({}),
): Provider {
  const receipt = (hash: string, logs: ReturnType<typeof logOf>[]) => {
    const malformed = problemOf(hash);
    return 'receipt' in malformed
      ? malformed.receipt
      : receiptFor(
          hash,
          logs.filter((log) => log.transactionHash === hash),
        );
  };
  const transaction = (hash: string, number: number) => {
    const malformed = problemOf(hash);
    return 'transaction' in malformed
      ? malformed.transaction
      : {
          hash,
          blockNumber: hex(number),
          blockHash: hashOf(number),
          from: PAYER,
          to: TOKEN,
          value: '0x0',
          input: '0x',
        };
  };
  const answer = ({ method, params }: Call<unknown>): unknown => {
    const [first, second] = params as [string, unknown];
    const number = Number(first);
    const hashes = () => [...new Set(logsIn(number).map((log) => log.transactionHash))];
    const there = (value: unknown) => value !== null;
    switch (method) {
      case 'eth_getBlockByNumber':
        return {
          number: first,
          hash: hashOf(number),
          parentHash: hashOf(number - 1),
          timestamp: first,
          ...(second === true
            ? {
                transactions: hashes()
                  .map((hash) => transaction(hash, number))
                  .filter(there),
              }
            : {}),
        };
      case 'eth_getBlockReceipts':
        return [...Map.groupBy(logsIn(number), (log) => log.transactionHash)]
          .map(([hash, logs]) => receipt(hash, logs))
          .filter(there);
      case 'eth_getLogs': {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        const span = Number(toBlock) - Number(fromBlock) + 1;
        if (span > widest)
          throw new ProviderError('node did not answer', { cause: new DOMException('too late', 'TimeoutError') });
        return Array.from({ length: span }, (_, at) => logsIn(Number(fromBlock) + at)).flat();
      }
      case 'eth_getTransactionReceipt':
        return receipt(first, logsIn(8));
      default:
        return transaction(first, 8);
    }
  };
  return {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
}

function receiptFor(transactionHash: string, logs: ReturnType<typeof logOf>[]) {
  const number = Number(logs[0]?.blockNumber ?? 8);
  return {
    transactionHash,
    blockNumber: hex(number),
    blockHash: hashOf(number),
    status: '0x1',
    from: PAYER,
    to: TOKEN,
    gasUsed: '0x1',
    logs,
  };
}

function logOf(transactionHash: string, index: number, number = 8) {
  const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
  return {
    address: TOKEN,
    topics: [TRANSFER_TOPIC, topic(PAYER), topic(SHOP)],
    data: hashOf(5),
    blockNumber: hex(number),
    blockHash: hashOf(number),
    transactionHash,
    logIndex: hex(index),
  };
}
