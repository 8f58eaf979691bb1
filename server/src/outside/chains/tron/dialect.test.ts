import { expect, test } from 'vitest';
import { blockByNumber, receiptOf, transactionOf } from '../evm/calls.ts';
import { toLog } from '../evm/shapes.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { ANSWERS } from '../../../../test/support/tron-recorded.ts';
import { inDialect } from '../rpc/dialect.ts';
import { TRON } from './dialect.ts';

const tronProvider = (provider: Provider) => inDialect(provider, TRON);

/** Answers each method with one recorded result, and notes what it was asked. */
function recorded(results: Record<string, unknown>): Provider & { asked: string[] } {
  const asked: string[] = [];
  const answer = <T>(call: Call<T>): T => {
    asked.push(`${call.method} ${String(call.params[0])}`);
    return call.parse(structuredClone(results[call.method] ?? null));
  };
  const provider: Provider & { asked: string[] } = {
    asked,
    name: 'recorded',
    requests: 0,
    call: async (call) => answer(call),
    batch: async (calls) => calls.map((call) => answer(call)) as never,
    attempt: async (calls) => calls.map((call) => ({ value: answer(call) })),
    recheckChain() {},
    get proven() {
      return provider;
    },
    close: async () => {},
  };
  return provider;
}

const { block, receipt, transaction, log } = ANSWERS;
const HASH = receipt.transactionHash;

test('a block, a receipt, a transaction and a log of Nile are read', async () => {
  const tron = tronProvider(
    recorded({
      eth_getBlockByNumber: block,
      eth_getTransactionReceipt: receipt,
      eth_getTransactionByHash: transaction,
    }),
  );
  expect(await tron.call(blockByNumber(66_984_960n))).toEqual({
    number: 66_984_960n,
    hash: block.hash,
    parentHash: block.parentHash,
    time: new Date('2026-04-29T04:34:36Z'),
  });
  expect(await tron.call(receiptOf(HASH))).toMatchObject({
    txHash: HASH,
    blockNumber: 66_985_120n,
    succeeded: true,
    logs: [{ address: log.address, logIndex: 0 }],
  });
  expect(await tron.call(transactionOf(HASH))).toMatchObject({ hash: HASH, to: log.address, valueWei: 0n });
  expect(await tron.call({ method: 'eth_getTransactionReceipt', params: [], parse: (one) => one })).toBeTruthy();
  expect(toLog(log).txHash).toBe(HASH);
});

test('no provider of Tron is asked for the `safe` block, which Tron does not have: it is null', async () => {
  const nile = recorded({ eth_getBlockByNumber: block });
  const answers = await tronProvider(nile).attempt((['latest', 'safe', 'finalized'] as const).map(blockByNumber));
  expect(nile.asked).toEqual(['eth_getBlockByNumber latest', 'eth_getBlockByNumber finalized']);
  expect(answers.map((answer) => ('value' in answer ? (answer.value?.number ?? null) : answer))).toEqual([
    66_984_960n,
    null,
    66_984_960n,
  ]);
});

test('a transaction that is in no block yet is in none, and a failed call has no events', async () => {
  const waiting = { ...transaction, blockHash: '0x', blockNumber: '0x', transactionIndex: '0x' };
  const failed = { ...receipt, status: '0x0' };
  const tron = tronProvider(recorded({ eth_getTransactionByHash: waiting, eth_getTransactionReceipt: failed }));
  expect(await tron.call(transactionOf(HASH))).toMatchObject({ blockHash: null, blockNumber: null });
  expect(await tron.call(receiptOf(HASH))).toMatchObject({ succeeded: false, logs: [] });
});

test.each([
  ['a block', { eth_getBlockByNumber: { ...block, number: '0x3fe1c01' } }, blockByNumber('latest')],
  ['the block before a block', { eth_getBlockByNumber: { ...block, parentHash: block.hash } }, blockByNumber('latest')],
  ['a receipt', { eth_getTransactionReceipt: { ...receipt, blockNumber: '0x3fe1ca1' } }, receiptOf(HASH)],
  ['a log', { eth_getTransactionReceipt: { ...receipt, logs: [{ ...log, blockNumber: '0x1' }] } }, receiptOf(HASH)],
])('the height in the hash of %s must be its height', async (_, results, call) => {
  await expect(tronProvider(recorded(results)).call(call as Call<unknown>)).rejects.toThrow(
    /is not that of a block \d+/,
  );
});
