import fc from 'fast-check';
import { encodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { RpcError } from '../rpc/errors.ts';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import { decodeBalances, encodeBalanceCalls, toBalance } from './balances.ts';

const ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] results)',
  'function getEthBalance(address account) view returns (uint256)',
]);
const MULTICALL3: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11';
const wallet = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex);

test('the encoded call equals that of an ABI encoder', () => {
  fc.assert(
    fc.property(fc.array(wallet, { maxLength: 20 }), (wallets) => {
      expect(encodeBalanceCalls(wallets)).toBe(
        encodeFunctionData({
          abi: ABI,
          functionName: 'aggregate3',
          args: [
            wallets.map((one) => ({
              target: MULTICALL3,
              allowFailure: false,
              callData: encodeFunctionData({ abi: ABI, functionName: 'getEthBalance', args: [one] }),
            })),
          ],
        }),
      );
    }),
  );
});

test('the result is decoded as by an ABI decoder', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 128n }), { maxLength: 20 }), (balances) => {
      const data = encodeFunctionResult({
        abi: ABI,
        functionName: 'aggregate3',
        result: balances.map((balance) => ({
          success: true,
          returnData: `0x${balance.toString(16).padStart(64, '0')}` as Hex,
        })),
      });
      expect(decodeBalances(data, balances.length)).toEqual(balances);
      expect(() => decodeBalances(data, balances.length + 1)).toThrow(MalformedAnswerError);
      if (balances.length > 0)
        expect(() => decodeBalances(data.slice(0, -64), balances.length)).toThrow(MalformedAnswerError);
    }),
  );
});

test('a chain without the contract returns no balances', () => {
  expect(decodeBalances('0x', 3)).toBeNull();
});

test('null is the error of a node that does not have the block, so another provider is asked', () => {
  expect(() => toBalance(null)).toThrow(RpcError);
  expect(() => toBalance('')).toThrow(MalformedAnswerError);
  expect(toBalance('0x0')).toBe(0n);
});
