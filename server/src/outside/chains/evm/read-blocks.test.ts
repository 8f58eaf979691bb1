import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProviderError, RpcError } from '../rpc/errors.ts';
import { type Call, createProvider, type Provider } from '../rpc/provider.ts';
import { createWindow } from '../rpc/window.ts';
import { onePaymentEach } from '../../../../test/support/evm-answers.ts';
import { evmWith, logOfAlarms } from '../../../../test/support/evm-read.ts';
import { serve } from '../../../../test/support/listen.ts';
import { chainPin } from './calls.ts';
import type { Evm } from './evm.ts';
import type { EvmContext } from './native.ts';
import { readBlocks } from './read-blocks.ts';
import { ShownBlocks } from './shown-blocks.ts';
import type { BlockTrace } from './trace.ts';

const MINUTE_MS = 60_000;
const [PAYER, SHOP, STRANGER] = ['22', '11', '33'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const [GOOD, MALFORMED] = ['01', '02'].map((byte) => `0x${byte.repeat(32)}`) as [string, string];
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

let now = 0;
let alarms: unknown[];
let evm: Evm;

beforeEach(() => {
  now = 0;
  alarms = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  evm = evmWith({ log: logOfAlarms(alarms) });
});
afterEach(() => vi.restoreAllMocks());

test('an unreadable transaction to a stranger delays nothing', async () => {
  const { transfers } = await read({
    transactions: [{ hash: MALFORMED, blockHash: hashOf(8), from: PAYER, to: STRANGER, type: '0x99' }],
  });
  expect(transfers).toMatchObject([{ txHash: GOOD, amountUnits: 5n }]);
  expect(alarms).toEqual([]);
});

test.each([
  [
    'with an unknown form',
    { transactions: [{ hash: MALFORMED, blockHash: hashOf(8), from: PAYER, to: SHOP, type: '0x99' }] },
  ],
  [
    'with an unreadable receipt',
    { transactions: [transaction(MALFORMED)], receipt: { transactionHash: MALFORMED, status: 'fine' } },
  ],
])('a transaction to a watched wallet %s is retried, and then skipped with an alarm', async (_, malformed) => {
  await expect(read(malformed)).rejects.toThrow(MALFORMED);
  now = 9 * MINUTE_MS;
  await expect(read(malformed)).rejects.toThrow(ProviderError);
  expect(alarms).toEqual([]);

  now = 11 * MINUTE_MS;
  expect((await read(malformed)).transfers).toMatchObject([{ txHash: GOOD, amountUnits: 5n }]);
  expect(alarms).toEqual(['transaction_unreadable']);
});

test('an unreadable transaction to a stranger that pays a watched wallet from inside is retried, and skipped with an alarm', async () => {
  const hidden = {
    transactions: [{ hash: MALFORMED, blockHash: hashOf(8), from: PAYER, to: STRANGER, type: '0x99' }],
    traced: new Map([[MALFORMED, [{ ordinal: 1, from: STRANGER, to: SHOP, valueWei: 7n }]]]),
  };
  await expect(read(hidden)).rejects.toThrow(MALFORMED);
  now = 11 * MINUTE_MS;
  expect((await read(hidden)).transfers).toMatchObject([{ txHash: GOOD, amountUnits: 5n }]);
  expect(alarms).toEqual(['transaction_unreadable']);
});

test.each([
  ['no receipt of a transaction in its block', { transactions: [transaction(MALFORMED)], receipt: null }],
  [
    'the receipt of another transaction',
    { transactions: [transaction(MALFORMED)], receipt: { transactionHash: GOOD } },
  ],
])('a provider with %s is retried indefinitely', async (_, malformed) => {
  await expect(read(malformed)).rejects.toThrow();
  now = 60 * MINUTE_MS;
  await expect(read(malformed)).rejects.toThrow();
});

test('whole blocks share a request only as far as a node sends their bytes in one answer', async () => {
  const [maxBytes, extraData] = [10_000_000, 'x'.repeat(600_000)];
  const plain = onePaymentEach();
  let refused = 0;
  // As geth: what does not fit any more is refused, call by call.
  await using node = await serve(async (request, response) => {
    let bytes = 0;
    const answer = async ({ method, params }: Call<unknown>): Promise<object> => {
      if (method === 'eth_chainId') return { result: '0x1' };
      const isWhole = method === 'eth_getBlockByNumber' && params[1] === true;
      bytes += isWhole ? extraData.length : 0;
      if (bytes > maxBytes) {
        refused += 1;
        return { error: { code: -32_003, message: 'response too large' } };
      }
      const parse = (raw: unknown) => ({ result: isWhole ? { ...(raw as object), extraData } : raw });
      return plain.call({ method, params, parse }).catch(({ code, message }) => ({ error: { code, message } }));
    };
    const calls = [JSON.parse((await request.toArray()).join(''))].flat();
    const answers = [];
    for (const call of calls) answers.push({ jsonrpc: '2.0', id: call.id, ...(await answer(call)) });
    response.end(JSON.stringify(calls.length > 1 ? answers : answers[0]));
  });
  const provider = createProvider(node.url, { pin: chainPin(1) });
  const after = { number: 1n, hash: hashOf(1), time: new Date(0) };
  const range = { after, until: 25n, watched: new Map([[SHOP, SHOP]]) };
  const { transfers } = await readBlocks(contextWith(undefined), provider, range, createWindow(24, 24));
  await provider.close();
  expect([transfers.length, refused]).toEqual([24, 0]);
});

function transaction(hash: string) {
  return { hash, blockNumber: '0x8', blockHash: hashOf(8), from: PAYER, to: SHOP, value: '0x5', input: '0x' };
}

/** Reads block 8: these transactions and a valid payment after them. `receipt` belongs to the first one. */
function read({ transactions, receipt, traced }: { transactions: object[]; receipt?: unknown; traced?: BlockTrace }) {
  const answer = ({ method, params }: Call<unknown>): unknown => {
    if (method === 'eth_getLogs') return [];
    if (method === 'eth_getTransactionReceipt') {
      return params[0] === MALFORMED && receipt !== undefined
        ? receipt
        : {
            transactionHash: params[0],
            blockNumber: '0x8',
            blockHash: hashOf(8),
            status: '0x1',
            gasUsed: '0x1',
            logs: [],
          };
    }
    const number = Number(params[0]);
    return {
      number: params[0],
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: '0x8',
      transactions: [...transactions, transaction(GOOD)],
    };
  };
  const provider = {
    name: 'node',
    call: async (call: Call<unknown>) => call.parse(answer(call)),
    batch: async (calls: Call<unknown>[]) =>
      calls.map((call) => {
        if (call.method === 'eth_getBalance') throw new RpcError(call.method, -32000, 'missing trie node');
        return call.parse(answer(call));
      }),
    attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
  } as unknown as Provider;
  return readBlocks(
    contextWith(traced),
    provider,
    { after: { number: 7n, hash: hashOf(7), time: new Date(0) }, until: 8n, watched: new Map([[SHOP, SHOP]]) },
    createWindow(),
  );
}

function contextWith(traced: BlockTrace | undefined): EvmContext {
  return {
    evm,
    providers: { names: ['node'] },
    tracer: { block: async () => traced },
    shown: new ShownBlocks(),
    balances: new Map(),
  } as unknown as EvmContext;
}
