import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex } from 'viem';
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction';
import { expect, test } from 'vitest';
import type { Log } from './shapes.ts';
import { executedOperations } from './user-operations.ts';

const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex);
const bytes = fc.uint8Array({ maxLength: 100 }).map(toHex);
const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex);
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const common = {
  sender: address,
  nonce: units,
  initCode: bytes,
  callData: bytes,
  preVerificationGas: units,
  paymasterAndData: bytes,
  signature: bytes,
};
const packed = fc.record({ ...common, accountGasLimits: word, gasFees: word });
const unpacked = fc.record({
  ...common,
  callGasLimit: units,
  verificationGasLimit: units,
  maxFeePerGas: units,
  maxPriorityFeePerGas: units,
});

interface Operation {
  sender: Hex;
  nonce: bigint;
  callData: Hex;
}

function eventOf(entryPoint: string, { sender, nonce }: Operation, success: boolean): Log {
  const topics = encodeEventTopics({
    abi: entryPoint07Abi,
    eventName: 'UserOperationEvent',
    args: { userOpHash: `0x${'00'.repeat(32)}`, sender, paymaster: sender },
  }) as string[];
  const data = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
    [nonce, success, 1n, 1n],
  );
  return {
    address: entryPoint.toLowerCase(),
    topics,
    data,
    blockNumber: 1n,
    blockHash: '0x',
    txHash: '0x',
    logIndex: 0,
  };
}

const expectedOf = (operations: readonly Operation[]) =>
  operations.map(({ sender, nonce, callData }) => ({ sender, nonce: nonce.toString(16).padStart(64, '0'), callData }));

test('the operations of a bundle are decoded as by their entry point, in both forms', () => {
  fc.assert(
    fc.property(
      fc.array(packed, { maxLength: 5 }),
      fc.array(unpacked, { maxLength: 5 }),
      address,
      (later, first, beneficiary) => {
        for (const entryPoint of [entryPoint07Address, entryPoint08Address, entryPoint09Address]) {
          const input = encodeFunctionData({
            abi: entryPoint07Abi,
            functionName: 'handleOps',
            args: [later, beneficiary],
          });
          expect(
            executedOperations(
              { to: entryPoint.toLowerCase(), input },
              { logs: later.map((operation) => eventOf(entryPoint, operation, true)) },
            ),
          ).toEqual(expectedOf(later));
        }
        const input = encodeFunctionData({
          abi: entryPoint06Abi,
          functionName: 'handleOps',
          args: [first, beneficiary],
        });
        expect(
          executedOperations(
            { to: entryPoint06Address.toLowerCase(), input },
            { logs: first.map((operation) => eventOf(entryPoint06Address, operation, true)) },
          ),
        ).toEqual(expectedOf(first));
      },
    ),
    { numRuns: 50 },
  );
});

test('an operation counts only with its success event, from the same entry point and with the same nonce', () => {
  const operation = { sender: toHex(new Uint8Array(20).fill(1)), nonce: 7n, callData: '0xabcd' } as const;
  const rest = {
    initCode: '0x',
    preVerificationGas: 0n,
    paymasterAndData: '0x',
    signature: '0x',
    accountGasLimits: toHex(new Uint8Array(32)),
    gasFees: toHex(new Uint8Array(32)),
  } as const;
  const input = encodeFunctionData({
    abi: entryPoint07Abi,
    functionName: 'handleOps',
    args: [[{ ...operation, ...rest }], operation.sender],
  });
  const to = entryPoint07Address.toLowerCase();
  const read = (logs: Log[], target = to) => executedOperations({ to: target, input }, { logs });

  expect(read([eventOf(to, operation, true)])).toEqual(expectedOf([operation]));
  expect(read([])).toEqual([]);
  expect(read([eventOf(to, operation, false)])).toEqual([]);
  expect(read([eventOf(to, { ...operation, nonce: 8n }, true)])).toEqual([]);
  expect(read([eventOf(operation.sender, operation, true)])).toEqual([]);
  expect(read([eventOf(operation.sender, operation, true)], operation.sender)).toEqual([]);
});

test('any calldata is read without an error', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 700 }),
      fc.array(fc.constantFrom(0, 32, 64, 2 ** 31), { maxLength: 12 }),
      (junk, offsets) => {
        const words = offsets.map((offset) => offset.toString(16).padStart(64, '0')).join('');
        for (const selector of ['1fad948c', '765e827f']) {
          executedOperations(
            {
              to: entryPoint07Address.toLowerCase(),
              input: `0x${selector}${words}${Buffer.from(junk).toString('hex')}`,
            },
            { logs: [] },
          );
        }
      },
    ),
  );
});
