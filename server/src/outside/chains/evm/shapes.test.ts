import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import { receiptOf } from './calls.ts';
import type { Evm } from './evm.ts';
import { toBlock, toFullBlock, toLog, toReceipt, toTransaction } from './shapes.ts';
import { transfersOf } from './transfers.ts';

const word = (digit: string) => `0x${digit.repeat(64)}`;
const address = (digit: string) => `0x${digit.repeat(40)}`;
const place = { blockNumber: '0x10', blockHash: word('b'), transactionHash: word('7') };
const log = {
  ...place,
  address: address('A'),
  topics: [word('1'), word('2'), word('3')],
  data: word('5'),
  logIndex: '0x0',
};
const good = {
  block: {
    number: '0x10',
    hash: word('b'),
    parentHash: word('a'),
    timestamp: '0x65000000',
    miner: address('9'),
    transactions: [],
    withdrawals: [{ address: address('C'), amount: '0x2' }],
  },
  transaction: {
    hash: word('7'),
    blockNumber: '0x10',
    blockHash: word('b'),
    from: address('E'),
    to: null,
    value: '0x0',
    input: '0xAB',
  },
  log,
  receipt: { ...place, status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x2', logs: [log] },
};

const parsers = { block: toFullBlock, transaction: toTransaction, log: toLog, receipt: toReceipt };

test('valid responses are parsed, in lowercase', () => {
  expect(toFullBlock(good.block)).toMatchObject({
    number: 16n,
    time: new Date(0x65000000 * 1000),
    withdrawals: [{ address: address('c'), amountWei: 2_000_000_000n }],
  });
  expect(toTransaction(good.transaction)).toMatchObject({ from: address('e'), to: null, input: '0xab' });
  expect(toReceipt(good.receipt)).toMatchObject({
    succeeded: true,
    feeWei: 42_000n,
    logs: [{ address: address('a'), logIndex: 0 }],
  });
});

test.each([undefined, null])(
  'a receipt from before Byzantium has a state root and no status (%s), so it makes no transfer',
  (status) => {
    const receipt = toReceipt({ ...good.receipt, status, root: word('9') });
    expect(receipt).toMatchObject({ succeeded: null, logs: [{ address: address('a') }] });
    const evm = {
      network: 'ethereum',
      tokens: new Map([[address('a'), 'USDC']]),
      native: null,
      nativeEmitter: null,
    } as unknown as Evm;
    expect(
      transfersOf(
        evm,
        { receipt, transaction: toTransaction(good.transaction), block: toFullBlock(good.block) },
        new Map([[address('3'), address('3')]]),
      ),
    ).toEqual([]);
  },
);

test('a receipt without a block is null, because some nodes send it for pending transactions', () => {
  const pending = { ...good.receipt, blockNumber: null, blockHash: null, status: null, logs: [] };
  expect(receiptOf(word('7')).parse(pending)).toBeNull();
  expect(receiptOf(word('7')).parse(good.receipt)).toMatchObject({ txHash: word('7') });
  expect(() => receiptOf(word('8')).parse(pending)).toThrow(MalformedAnswerError);
});

test('an unreadable transaction does not affect the others of its block', () => {
  const unreadable = {
    hash: word('8'),
    blockHash: word('b'),
    type: '0x99',
    from: address('D'),
    to: { contract: address('c') },
  };
  const block = toFullBlock({
    ...good.block,
    transactions: [good.transaction, unreadable, { ...good.transaction, hash: word('9') }],
  });
  expect(block.transactions.map(({ hash }) => hash)).toEqual([word('7'), word('9')]);
  expect(block.hashes).toEqual([word('7'), word('8'), word('9')]);
  expect(block.unreadable).toMatchObject([{ hash: word('8'), parties: [address('d')] }]);
});

describe('the receipt of a reverted transaction', () => {
  const POLYGON_FEES = `0x${'1010'.padStart(40, '0')}`;
  const FEE_TOPIC = '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63';
  const feeLog = { ...log, address: POLYGON_FEES, topics: [FEE_TOPIC, word('1'), word('2'), word('3')] };
  const reverted =
    (...logs: object[]) =>
    () =>
      toReceipt({ ...good.receipt, status: '0x0', logs });

  test('may contain the fee log that Polygon writes for every transaction', () => {
    expect(reverted(feeLog)()).toMatchObject({ succeeded: false, logs: [{ address: POLYGON_FEES }] });
  });

  test('makes no transfer, even if the fee contract were a watched token', () => {
    const evm = {
      network: 'polygon',
      tokens: new Map([[POLYGON_FEES, 'USDC']]),
      native: 'ETH',
      nativeEmitter: null,
    } as unknown as Evm;
    const seen = {
      receipt: reverted(feeLog)(),
      transaction: toTransaction({ ...good.transaction, to: address('d'), value: '0x5' }),
      block: toFullBlock(good.block),
    };
    const watched = new Map(['1', '2', '3', 'd'].map((digit) => [address(digit), address(digit)]));
    expect(transfersOf(evm, seen, watched)).toEqual([]);
    expect(transfersOf(evm, { ...seen, receipt: { ...seen.receipt, succeeded: true } }, watched)).toHaveLength(1);
  });

  test.each([
    ['a transfer of a token', [log]],
    ['a transfer beside the fee', [feeLog, { ...log, logIndex: '0x1' }]],
    ['another event of the fee contract', [{ ...feeLog, topics: log.topics }]],
    ['the event of the fee from another contract', [{ ...feeLog, address: log.address }]],
  ])('is rejected with %s', (_case, logs) => expect(reverted(...logs)).toThrow(MalformedAnswerError));
});

describe.each(Object.entries(parsers))('%s', (name, parse) => {
  test('any JSON is either parsed or rejected', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          parse(value);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedAnswerError);
        }
      }),
    );
  });

  test('a valid response with one changed field is rejected, or has the same meaning', () => {
    const answer = good[name as keyof typeof good] as Record<string, unknown>;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(answer)), fc.jsonValue(), (field, value) => {
        try {
          parse({ ...answer, [field]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedAnswerError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['a number instead of hex', toBlock, { ...good.block, number: 16 }],
  ['an empty quantity', toBlock, { ...good.block, number: '0x' }],
  ['a time that is out of range', toBlock, { ...good.block, timestamp: '0xffffffffffffffff' }],
  [
    'a transaction of another block',
    toFullBlock,
    { ...good.block, transactions: [{ ...good.transaction, blockHash: word('c') }] },
  ],
  [
    'an unreadable transaction of another block',
    toFullBlock,
    { ...good.block, transactions: [{ hash: word('8'), blockHash: word('c') }] },
  ],
  ['a transaction without a hash', toFullBlock, { ...good.block, transactions: [{ blockHash: word('b') }] }],
  ['a log from another transaction', toReceipt, { ...good.receipt, logs: [{ ...log, transactionHash: word('8') }] }],
  ['a receipt without a status', toReceipt, { ...good.receipt, status: undefined }],
  [
    'a recent receipt with a state root instead of a status',
    toReceipt,
    { ...good.receipt, status: undefined, root: word('9'), blockNumber: '0x42ae50', logs: [] },
  ],
  ['an invalid status beside a state root', toReceipt, { ...good.receipt, status: '', root: word('9') }],
  ['five topics', toLog, { ...log, topics: Array.from({ length: 5 }, () => word('1')) }],
])('%s is rejected', (_case, parse, value) => {
  expect(() => parse(value)).toThrow(MalformedAnswerError);
});
