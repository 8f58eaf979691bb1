import { expect, test } from 'vitest';
import { decodeFunctionData, erc20Abi, parseAbi } from 'viem';
import { balanceCall, ethereumTransfer } from './transfer.ts';

const TO = '0x52908400098527886E0F7030069857D2E4169EE7';
const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const TAG = '0x51544e439f2c5b6e1d4a8c7730e1b2a4c6d8f011';

test('a token is sent by a transfer with the tag after its arguments', () => {
  const transfer = ethereumTransfer({
    uri: `ethereum:${TOKEN}@8453/transfer?address=${TO}&uint256=49000317`,
    address: TO,
    tag: TAG,
    identified_by: 'amount',
  });
  expect(transfer).toMatchObject({ chainId: 8453, token: TOKEN, to: TOKEN, amount: 49_000_317n, value: '0x0' });
  expect(decodeFunctionData({ abi: erc20Abi, data: transfer?.data as `0x${string}` })).toEqual({
    functionName: 'transfer',
    args: [TO, 49_000_317n],
  });
  expect(transfer?.data.endsWith(TAG.slice(2))).toBe(true);
});

test('a token is sent with the memo where its URI has one, and not by a URI that lacks it', () => {
  const memo = `0x${'3f'.repeat(32)}`;
  const uri = `ethereum:${TOKEN}@4217/transferWithMemo?address=${TO}&uint256=49000000`;
  const payment = { address: TO, tag: null, identified_by: 'reference' as const };
  const transfer = ethereumTransfer({ ...payment, uri: `${uri}&bytes32=${memo}` });
  expect(transfer).toMatchObject({ chainId: 4217, token: TOKEN, to: TOKEN, amount: 49_000_000n, value: '0x0' });
  const abi = parseAbi(['function transferWithMemo(address to, uint256 amount, bytes32 memo)']);
  expect(decodeFunctionData({ abi, data: transfer?.data as `0x${string}` }).args).toEqual([TO, 49_000_000n, memo]);
  expect(ethereumTransfer({ ...payment, uri })).toBeUndefined();
});

test("the chain's own coin is sent plainly", () => {
  const payment = { uri: `ethereum:${TO}@1?value=19600310000000000`, address: TO, tag: TAG };
  expect(ethereumTransfer({ ...payment, identified_by: 'amount' })).toEqual({
    chainId: 1,
    token: null,
    to: TO,
    data: '0x',
    amount: 19_600_310_000_000_000n,
    value: `0x${19_600_310_000_000_000n.toString(16)}`,
  });
});

test("the chain's own coin carries our tag where only the reference identifies the payment", () => {
  const payment = { uri: `ethereum:${TO}@1?value=19600000000000000`, address: TO, tag: TAG };
  expect(ethereumTransfer({ ...payment, identified_by: 'reference' })?.data).toBe(TAG);
});

test.each([
  ['another recipient', `ethereum:${TOKEN}@8453/transfer?address=${TOKEN}&uint256=1`],
  ['no address at all', null],
  ['another scheme', 'solana:abc?amount=1'],
  ['something behind it', `ethereum:${TO}@1?value=1&gas=2`],
])('%s is not a transfer', (_what, uri) => {
  expect(ethereumTransfer({ uri, address: TO, tag: null, identified_by: 'amount' })).toBeUndefined();
});

test('a balance is asked for by its account', () => {
  expect(decodeFunctionData({ abi: erc20Abi, data: balanceCall(TO) as `0x${string}` })).toEqual({
    functionName: 'balanceOf',
    args: [TO],
  });
});
