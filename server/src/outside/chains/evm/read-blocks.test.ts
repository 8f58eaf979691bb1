import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProviderFailure, RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { createWindow } from '../rpc/window.ts';
import type { Evm } from './evm.ts';
import type { Inside } from './native.ts';
import { readBlocks } from './read-blocks.ts';

const MINUTE_MS = 60_000;
const PAYER = `0x${'22'.repeat(20)}`;
const SHOP = `0x${'11'.repeat(20)}`;
const [ODD, GOOD] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
const txHash = (number: number) => `0xff${number.toString(16).padStart(62, '0')}`;
const hex = (number: number) => `0x${number.toString(16)}`;

let now = 0;
let alarms: unknown[];
let inside: Inside;

beforeEach(() => {
  now = 0;
  alarms = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const log = pino({ level: 'error' }, { write: (line) => alarms.push((JSON.parse(line) as { alarm: unknown }).alarm) });
  const evm: Evm = { network: 'ethereum', chainId: 1, tokens: new Map(), native: 'ETH', nativeEmitter: null, filteredWalletsMost: 10, log, contradicted: new Map() };
  inside = { evm, providers: { names: ['node'] } as unknown as Providers, tracer: { block: async () => undefined, transaction: async () => undefined }, balances: null };
});
afterEach(() => vi.restoreAllMocks());

const payment = (hash: string, number: number) => ({ hash, blockNumber: hex(number), blockHash: hashOf(number), from: PAYER, to: SHOP, value: '0x5', input: '0x' });
const receiptOf = (hash: string, number: number) => ({ transactionHash: hash, blockNumber: hex(number), blockHash: hashOf(number), status: '0x1', from: PAYER, to: SHOP, gasUsed: '0x1', logs: [] });

test.each([
  ['transaction that cannot be read', { hash: ODD, kind: 'of a type that nobody knows' }, receiptOf(ODD, 8)],
  ['payment whose receipt cannot be read', payment(ODD, 8), { transactionHash: ODD, status: 'fine' }],
  ['payment without a receipt', payment(ODD, 8), null],
])('a %s is waited for, and passed over with an alarm rather than holding up everybody', async (_, transaction, receipt) => {
  const provider = providerOf(() => [transaction, payment(GOOD, 8)], (hash) => (hash === ODD ? receipt : receiptOf(hash, 8)));
  await expect(read(provider)).rejects.toThrow(ProviderFailure);
  now = 9 * MINUTE_MS;
  await expect(read(provider)).rejects.toThrow(ODD);
  expect(alarms).toEqual([]);

  now = 11 * MINUTE_MS;
  const { transfers, covered } = await read(provider);

  expect(transfers).toMatchObject([{ txHash: GOOD, amountUnits: 5n }]);
  expect(covered.number).toBe(8n);
  expect(alarms).toEqual(['transaction_unreadable']);
});

test('a block without hashes that could be read is never taken for one', async () => {
  const provider = providerOf(() => [{ hash: 'none' }, payment(GOOD, 8)], (hash) => receiptOf(hash, 8));
  await expect(read(provider)).rejects.toThrow();
  now = 60 * MINUTE_MS;
  await expect(read(provider)).rejects.toThrow();
});

test('a step ends before more than 2,000 payments, and nothing is left out', async () => {
  const perBlock = 300;
  const provider = providerOf((number) => Array.from({ length: perBlock }, (_, at) => payment(txHash(number * 1_000 + at), number)), (hash) => receiptOf(hash, Math.floor(Number(BigInt(hash) & 0xffffffn) / 1_000)));
  const window = createWindow(4, 24);
  const found = new Set<string>();
  for (let after = { number: 1n, hash: hashOf(1), time: new Date(0) }; after.number < 61n;) {
    const { transfers, covered } = await readBlocks(inside, provider, window, after, 61n, new Map([[SHOP, SHOP]]));
    expect(transfers.length).toBeLessThanOrEqual(2_000);
    for (const transfer of transfers) found.add(transfer.txHash);
    after = covered;
  }
  expect(found.size).toBe(60 * perBlock);
});

function read(provider: Provider) {
  return readBlocks(inside, provider, createWindow(4, 24), { number: 7n, hash: hashOf(7), time: new Date(0) }, 8n, new Map([[SHOP, SHOP]]));
}

function providerOf(transactionsIn: (number: number) => unknown[], receiptFor: (hash: string) => unknown): Provider {
  const answer = ({ method, params }: Call<unknown>): unknown => {
    const [first, second] = params as [string, unknown];
    const number = Number(first);
    switch (method) {
      case 'eth_getBlockByNumber':
        return { number: first, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: first, ...(second === true ? { transactions: transactionsIn(number) } : {}) };
      case 'eth_getBlockReceipts':
        return transactionsIn(number).map((transaction) => receiptFor((transaction as { hash: string }).hash));
      case 'eth_getTransactionReceipt':
        return receiptFor(first);
      case 'eth_getLogs':
        return [];
      default:
        throw new RpcError(method, -32601, 'the method does not exist');
    }
  };
  return {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
}
