import { expect, test } from 'vitest';
import { toFullBlock, toReceipt, toTransaction } from '../evm/shapes.ts';
import { TEMPO } from './dialect.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const PLACE = { blockHash: `0x${'cd'.repeat(32)}`, blockNumber: '0x10', transactionIndex: '0x0' };
const FROM = '0x814e5e0e31016b9a7f138c76b7e7b2bb5c1ab6a6';
const TOKEN = '0x20c00000000000000000000014f22ca97301eb73';

/** In the form of ox's fixtures (wevm/ox, `src/tempo/Transaction.test.ts`), without what is not read. */
const transaction = {
  ...PLACE,
  hash: HASH,
  nonce: '0x357',
  nonceKey: '0x0',
  from: FROM,
  calls: [{ to: TOKEN, value: '0x0', input: '0x95777d59' }],
  feeToken: '0x20c0000000000000000000000000000000000000',
  feePayerSignature: null,
  signature: { type: 'secp256k1', r: '0x1', s: '0x2', yParity: '0x0' },
  validBefore: null,
  type: '0x76',
};
const read = (raw: unknown) => toTransaction(TEMPO.translate(raw));

test('a transaction of the own kind is read as the call that it makes, and one of another kind as it is', () => {
  const expected = { hash: HASH, from: FROM, to: TOKEN, valueWei: 0n, input: '0x95777d59' };
  expect(read(transaction)).toMatchObject(expected);
  const { calls, ...usual } = { ...transaction, type: '0x2', to: TOKEN, value: '0x0', input: '0x95777d59' };
  expect(read(usual)).toMatchObject(expected);
  const block = {
    ...{ number: '0x10', hash: PLACE.blockHash, parentHash: HASH, timestamp: '0x1' },
    transactions: [transaction],
  };
  expect(toFullBlock(TEMPO.translate(block))).toMatchObject({ transactions: [expected], unreadable: [] });
});

test('several calls are one that contains them all, a new contract has no recipient, and none is empty', () => {
  const [call] = transaction.calls;
  expect(read({ ...transaction, calls: [call, { to: FROM, data: '0xa9059cbb' }, { to: FROM }] })).toMatchObject({
    to: null,
    input: '0x95777d59a9059cbb',
  });
  expect(read({ ...transaction, calls: [{ input: '0x6000' }] })).toMatchObject({ to: null, input: '0x6000' });
  expect(read({ ...transaction, calls: [] })).toMatchObject({ to: null, input: '0x' });
});

test.each([[[null]], [[{ to: TOKEN, input: 7 }]], [[{ to: 'nowhere', input: '0x' }]], [[{ to: TOKEN, input: '0xz' }]]])(
  'calls like %j are unreadable, and not taken for others',
  (calls) => {
    const block = { number: '0x10', hash: PLACE.blockHash, parentHash: HASH, timestamp: '0x1' };
    const { transactions, unreadable } = toFullBlock(
      TEMPO.translate({ ...block, transactions: [{ ...transaction, calls }] }),
    );
    // A call that is null makes nothing.
    expect(calls[0] === null ? transactions : unreadable).toHaveLength(1);
  },
);

test('a failed transaction logs its fee and nothing that happened', () => {
  const log = {
    ...PLACE,
    address: TOKEN,
    topics: [HASH],
    data: '0x',
    logIndex: '0x0',
    transactionHash: HASH,
  };
  const receipt = {
    ...PLACE,
    transactionHash: HASH,
    gasUsed: '0x1',
    effectiveGasPrice: '0x1',
    logs: [log],
    status: '0x0',
  };
  expect(toReceipt(TEMPO.translate(receipt))).toMatchObject({ succeeded: false, logs: [] });
  expect(toReceipt(TEMPO.translate({ ...receipt, status: '0x1' })).logs).toHaveLength(1);
});
