import { type Hex, concatHex, keccak256, stringToHex } from 'viem';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ReorgError } from '../chain.ts';
import { ProviderBehindError, ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createWindow } from '../rpc/window.ts';
import { evmWith, logOfAlarms } from '../../../../test/support/evm-read.ts';
import type { Evm } from './evm.ts';
import type { EvmContext } from './native.ts';
import { readTokens } from './read.ts';
import { TRANSFER_TOPIC } from './logs.ts';
import type { Block } from './shapes.ts';
import { ShownBlocks } from './shown-blocks.ts';

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
  evm = evmWith({
    network: 'polygon',
    chainId: 137,
    tokens: new Map([[TOKEN, 'USDC']]),
    native: null,
    log: logOfAlarms(alarms),
  });
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

describe('a quiet range costs few calls', () => {
  const [seven, eight, ten] = [blockOf(7), blockOf(8), blockOf(10)];

  test.each([
    ['one block, the head of the same provider', { after: seven, until: eight, head: eight }, ['logs', '8']],
    ['one block that another provider named', { after: seven, until: eight }, ['8', 'logs', '8']],
    ['three blocks up to the head of the same provider', { after: seven, until: ten, head: ten }, ['7', 'logs', '10']],
    ['three blocks that another provider named', { after: seven, until: ten }, ['10', 'logs', '7', '10']],
  ])('%s', async (_, range, asked) => {
    const chain = chainOf();
    const reading = await quiet(chain, range);
    expect([reading.covered, chain.asked]).toEqual([
      { number: range.until.number, hash: range.until.hash, time: range.until.time },
      asked,
    ]);
  });

  test.each([
    [
      'the parent of the block is not the starting block, which is another one now',
      { parent: '0xf', start: '0xf' },
      ReorgError,
    ],
    ['the parent of the block is not the starting block, which is as before', { parent: '0xf' }, ProviderError],
    [
      'the block is another than the one read toward, and so is the starting block',
      { last: '0xe', start: '0xf', head: false },
      ReorgError,
    ],
    ['the provider has neither block', { last: null, start: null }, ProviderBehindError],
    ['the head changed while its logs were read', { last: '0xe' }, ProviderError],
  ])('%s: nothing is covered', async (_, changed, expected) => {
    const { head = true, ...chain } = changed as { head?: boolean };
    await expect(
      quiet(chainOf(chain), { after: seven, until: eight, ...(head && { head: eight }) }),
    ).rejects.toBeInstanceOf(expected);
  });

  test('an earlier head is not the last block if the starting block was replaced', async () => {
    const range = { after: seven, until: ten, head: ten };
    await expect(quiet(chainOf({ start: '0xf' }), range)).rejects.toBeInstanceOf(ReorgError);
  });
});

function blockOf(number: number): Block {
  return {
    number: BigInt(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    time: new Date(number * 1000),
  };
}

/** A provider whose starting block 7, or whose last block and its parent, are others; the numbers of the blocks asked for. */
function chainOf({ start, last, parent }: { start?: string | null; last?: string | null; parent?: string } = {}) {
  const asked: string[] = [];
  const answer = ({ method, params }: Call<unknown>): unknown => {
    if (method === 'eth_getLogs') {
      if (asked.at(-1) !== 'logs') asked.push('logs');
      return [];
    }
    const number = params[0] === 'latest' ? 6 : Number(params[0]);
    asked.push(String(number));
    const hash = number === 7 ? start : last;
    if (hash === null) return params[0] === 'latest' ? { ...raw(number) } : null;
    return {
      ...raw(number),
      ...(hash && { hash: fill(hash) }),
      ...(number !== 7 && parent && { parentHash: fill(parent) }),
    };
  };
  return { asked, answer };
}

function fill(text: string): string {
  return `0x${text.slice(2).padStart(64, '0')}`;
}

function raw(number: number) {
  return {
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: `0x${number.toString(16)}`,
  };
}

function quiet(
  { answer }: ReturnType<typeof chainOf>,
  { after, until, head }: { after: Block; until: Block; head?: Block },
) {
  const range = { after, until: until.number, untilHash: until.hash, head, watched: new Map([[SHOP, SHOP]]) };
  return readTokens({ evm, shown: new ShownBlocks() } as EvmContext, providerOf(answer), range, createWindow());
}

function providerOf(answer: (call: Call<unknown>) => unknown): Provider {
  return {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
}

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
  return readTokens(
    { evm, shown: new ShownBlocks() } as EvmContext,
    providerOf(answer),
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
