import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { TronWeb } from 'tronweb';
import { expect, test } from 'vitest';
import { ANSWERS } from '../../../../test/support/tron-recorded.ts';
import { blockByNumber, receiptOf, transactionOf } from '../evm/calls.ts';
import { TRANSFER_TOPIC } from '../evm/logs.ts';
import { toLog } from '../evm/shapes.ts';
import { inDialect } from '../rpc/dialect.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createTronChain } from './chain.ts';
import { TRON } from './dialect.ts';

// Some by default; for many: TRON_IDS=10000 npx vitest run --project unit server/src/outside/chains/tron/chain.test.ts
const IDS = Number(process.env.TRON_IDS ?? 300);
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const PADDING = '0'.repeat(24);
const { transactionBuilder } = new TronWeb({ fullHost: 'http://127.0.0.1' });

/** Answers each call by its method and first parameter, or by its method alone, and notes what it was asked. */
function answering(answers: ReadonlyMap<string, unknown>): Provider & { asked: string[] } {
  const asked: string[] = [];
  const answer = <T>({ method, params, parse }: Call<T>): T => {
    const which = `${method} ${params[0]}`;
    asked.push(which);
    return parse(structuredClone(answers.get(which) ?? answers.get(method) ?? null));
  };
  const provider: Provider & { asked: string[] } = {
    asked,
    name: 'node',
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

/** A random transfer of USDT as tronweb makes it, and what a node's JSON-RPC shows of it. */
async function transferNumber(at: number) {
  const random = (what: string) => createHash('sha256').update(`${what} ${at}`).digest('hex');
  const [from, to] = ['from', 'to'].map((what) => TronWeb.address.fromHex(`41${random(what).slice(0, 40)}`)) as [
    string,
    string,
  ];
  const amountUnits = BigInt(`0x${random('amount').slice(0, 12)}`) + 1n;
  const number = BigInt(`0x${random('number').slice(0, 7)}`);
  const blockHash = `0x${number.toString(16).padStart(16, '0')}${random('block').slice(16)}`;
  const blockHeader = {
    ref_block_bytes: blockHash.slice(14, 18),
    ref_block_hash: blockHash.slice(18, 34),
    expiration: 1_800_000_060_000,
    timestamp: 1_800_000_000_000,
  };
  const { transaction } = await transactionBuilder.triggerSmartContract(
    USDT,
    'transfer(address,uint256)',
    { txLocal: true, feeLimit: 100_000_000, blockHeader },
    [
      { type: 'address', value: to },
      { type: 'uint256', value: amountUnits.toString() },
    ],
    from,
  );
  const { txID, raw_data } = transaction;
  const called = raw_data.contract[0]?.parameter.value as { owner_address: string; data: string };
  const hash = `0x${txID}`;
  const [sender, contract] = [called.owner_address, TronWeb.address.toHex(USDT)].map((hex) => `0x${hex.slice(2)}`);
  const place = { blockHash, blockNumber: `0x${number.toString(16)}`, transactionIndex: '0x0' };
  const log = {
    ...place,
    address: contract,
    transactionHash: hash,
    logIndex: '0x0',
    topics: [TRANSFER_TOPIC, `0x${PADDING}${sender?.slice(2)}`, `0x${called.data.slice(8, 72)}`],
    data: `0x${called.data.slice(72)}`,
  };
  const receipt = { ...place, transactionHash: hash, gasUsed: '0x1', status: '0x1', logs: [log] };
  const answers = new Map<string, unknown>([
    [`eth_getTransactionReceipt ${hash}`, receipt],
    [
      `eth_getTransactionByHash ${hash}`,
      { ...place, hash, from: sender, to: contract, value: '0x0', input: `0x${called.data}` },
    ],
    [
      `eth_getBlockByNumber ${place.blockNumber}`,
      {
        number: place.blockNumber,
        hash: blockHash,
        parentHash: `0x${(number - 1n).toString(16).padStart(16, '0')}${'0'.repeat(48)}`,
        timestamp: '0x1',
      },
    ],
  ]);
  return { txID, from, to, amountUnits, number, blockHash, answers };
}

test(`${IDS} random transfers are found by the ids that tronweb gives them, between its addresses`, async () => {
  const shown = new Map<string, unknown>();
  const open = () => answering(shown);
  const chain = createTronChain(
    { rpcUrls: ['http://node'], chainId: null, tokens: {}, tuning: { open } },
    pino({ level: 'silent' }),
  );
  for (let at = 0; at < IDS; at += 1) {
    const { txID, from, to, amountUnits, number, blockHash, answers } = await transferNumber(at);
    shown.clear();
    for (const [asked, answer] of answers) shown.set(asked, answer);
    const found = await chain.transaction(at % 2 === 0 ? txID : `0x${txID.toUpperCase()}`, {
      addresses: new Set([to]),
    });
    expect(found?.transfers).toEqual([
      {
        network: 'tron',
        txHash: txID,
        index: 0,
        asset: 'USDT',
        from,
        to,
        amountUnits,
        block: { number, hash: blockHash, time: new Date(1000) },
        carried: [],
      },
    ]);
  }
  await chain.close();
}, 120_000);

const { block, receipt, transaction, log } = ANSWERS;
const HASH = receipt.transactionHash;

const recorded = (results: Record<string, unknown>) => answering(new Map(Object.entries(results)));
const tronProvider = (provider: Provider) => inDialect(provider, TRON);

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
