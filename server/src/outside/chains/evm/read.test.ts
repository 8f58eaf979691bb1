import { pino } from 'pino';
import { type Hex, concatHex, keccak256, stringToHex } from 'viem';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createWindow } from '../rpc/window.ts';
import type { Evm } from './evm.ts';
import type { EvmContext } from './native.ts';
import { readTokens } from './read.ts';
import { TRANSFER_TOPIC } from './logs.ts';

const MINUTE_MS = 60_000;
const TOKEN = `0x${'aa'.repeat(20)}`;
const PAYER = `0x${'22'.repeat(20)}`;
const SHOP = `0x${'11'.repeat(20)}`;
const [MALFORMED, GOOD] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

let now = 0;
let alarms: unknown[];
let evm: Evm;

beforeEach(() => {
  now = 0;
  alarms = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const log = pino(
    { level: 'error' },
    { write: (line) => alarms.push((JSON.parse(line) as { alarm: unknown }).alarm) },
  );
  evm = {
    network: 'polygon',
    chainId: 137,
    tokens: new Map([[TOKEN, 'USDC']]),
    native: null,
    nativeEmitter: null,
    maxFilteredWallets: 10,
    log,
    contradicted: new Map(),
  };
});
afterEach(() => vi.restoreAllMocks());

test.each([
  ['whose transaction is unknown', { transaction: null }],
  ['whose transaction is unreadable', { transaction: { hash: MALFORMED, kind: 'a message from another chain' } }],
  ['whose receipt is unreadable', { receipt: { transactionHash: MALFORMED, status: 'fine' } }],
  ['without a receipt', { receipt: null }],
])('a log %s is retried, and then skipped with an alarm instead of delaying all others', async (_, malformed) => {
  await expect(read(malformed)).rejects.toThrow(ProviderError);
  now = 9 * MINUTE_MS;
  await expect(read(malformed)).rejects.toThrow(MALFORMED);
  expect(alarms).toEqual([]);

  now = 11 * MINUTE_MS;
  const { transfers, covered } = await read(malformed);

  expect(transfers).toMatchObject([{ txHash: GOOD, amountUnits: 5n }]);
  expect(covered.number).toBe(8n);
  expect(alarms).toEqual(['log_without_receipt']);
});

test('many such logs are retried together, so they delay reading no longer than one', async () => {
  const others = Array.from({ length: 5 }, (_, at) => `0x${String(at + 3).repeat(64)}`);
  await expect(read({ receipt: null, others })).rejects.toThrow(ProviderError);
  now = 11 * MINUTE_MS;
  expect((await read({ receipt: null, others })).transfers).toMatchObject([{ txHash: GOOD }]);
  expect(alarms).toHaveLength(6);
});

describe('a message from Ethereum that paid on Polygon', () => {
  // How Polygon derives the hash of the transaction that executed a block's messages.
  const message = keccak256(concatHex([stringToHex('matic-bor-receipt-'), '0x0000000000000008', hashOf(8) as Hex]));

  test('is read from its receipt if the node does not return its transaction', async () => {
    const { transfers } = await read({ malformed: message, transaction: null });
    expect(transfers).toMatchObject([{ txHash: message, amountUnits: 5n, carried: [] }, { txHash: GOOD }]);
  });

  test('is retried without its receipt, and on any other network', async () => {
    await expect(read({ malformed: message, transaction: null, receipt: null })).rejects.toThrow(message);
    evm = { ...evm, network: 'base', contradicted: new Map() };
    await expect(read({ malformed: message, transaction: null })).rejects.toThrow(message);
  });
});

test('a provider with an unrelated response is retried indefinitely', async () => {
  await expect(read({ receipt: {} })).rejects.toThrow();
  now = 60 * MINUTE_MS;
  await expect(read({ receipt: {} })).rejects.toThrow();
});

test.each([
  ['is further on', '0x9', 'lacks one between 7 and 8'],
  ['has come no further than the starting block', '0x7', 'is at block 7, asked for more after 7'],
])('a provider that lacks a block and %s is not asked again and again', async (_, latest, message) => {
  await expect(read({ receipt: null, latest })).rejects.toThrow(message);
});

/** Reads block 8, which has two transfers. `malformed` is the provider's response for the first one. With `latest`, it lacks block 8. */
function read(malformed: {
  receipt?: unknown;
  transaction?: unknown;
  malformed?: string;
  others?: readonly string[];
  latest?: string;
}) {
  const unusual = [malformed.malformed ?? MALFORMED, ...(malformed.others ?? [])];
  const logs = [...unusual, GOOD].map(logOf);
  const answer = ({ method, params }: Call<unknown>): unknown => {
    const hash = params[0] as string;
    switch (method) {
      case 'eth_getBlockByNumber':
        if (malformed.latest && hash === '0x8') return null;
        if (hash === 'latest')
          return { number: malformed.latest, hash: hashOf(9), parentHash: hashOf(8), timestamp: '0x9' };
        return { number: hash, hash: hashOf(Number(hash)), parentHash: hashOf(Number(hash) - 1), timestamp: hash };
      case 'eth_getLogs':
        return logs;
      case 'eth_getTransactionReceipt':
        return unusual.includes(hash) && 'receipt' in malformed
          ? malformed.receipt
          : {
              transactionHash: hash,
              blockNumber: '0x8',
              blockHash: hashOf(8),
              status: '0x1',
              from: PAYER,
              to: TOKEN,
              gasUsed: '0x1',
              logs: logs.filter((log) => log.transactionHash === hash),
            };
      default:
        return unusual.includes(hash) && 'transaction' in malformed
          ? malformed.transaction
          : { hash, blockNumber: '0x8', blockHash: hashOf(8), from: PAYER, to: TOKEN, value: '0x0', input: '0x' };
    }
  };
  const provider = {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
  return readTokens(
    { evm } as EvmContext,
    provider,
    { after: { number: 7n, hash: hashOf(7), time: new Date(0) }, until: 8n, watched: new Map([[SHOP, SHOP]]) },
    createWindow(),
  );
}

function logOf(transactionHash: string, index: number) {
  const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
  return {
    address: TOKEN,
    topics: [TRANSFER_TOPIC, topic(PAYER), topic(SHOP)],
    data: hashOf(5),
    blockNumber: '0x8',
    blockHash: hashOf(8),
    transactionHash,
    logIndex: `0x${index}`,
  };
}
