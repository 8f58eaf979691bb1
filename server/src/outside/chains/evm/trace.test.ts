import { expect, test } from 'vitest';
import { Malformed } from '../rpc/shapes.ts';
import { fromCallTracer, fromParity } from './trace.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const hash = (digit: string) => `0x${digit.repeat(64)}`;
const [A, B, C] = [address('a'), address('b'), address('c')];

test('calls are counted in the order they were made, those that failed with everything below them left out', () => {
  const result = {
    type: 'CALL', from: A, to: B, value: '0x63',
    calls: [
      { type: 'CALL', from: B, to: C, value: '0x1', calls: [{ type: 'CALL', from: C, to: A, value: '0x2' }] },
      { type: 'CALL', from: B, to: C, value: '0x3', error: 'execution reverted', calls: [{ type: 'CALL', from: C, to: A, value: '0x4' }] },
      { type: 'DELEGATECALL', from: B, to: C, value: '0x63', calls: [{ type: 'CALL', from: B, to: A, value: '0x5' }] },
      { type: 'STATICCALL', from: B, to: C },
      { type: 'CALL', from: B, to: B, value: '0x6' },
      { type: 'CALL', from: B, to: A, value: '0x0' },
      { type: 'CREATE2', from: B, to: C, value: '0x7' },
      { type: 'SELFDESTRUCT', from: B, to: A, value: '0x8' },
    ],
  };
  expect(fromCallTracer([{ txHash: hash('1'), result }], [hash('1')]).get(hash('1'))).toEqual([
    { ordinal: 1, from: B, to: C, valueWei: 1n },
    { ordinal: 2, from: C, to: A, valueWei: 2n },
    { ordinal: 3, from: B, to: A, valueWei: 5n },
    { ordinal: 4, from: B, to: C, valueWei: 7n },
    { ordinal: 5, from: B, to: A, valueWei: 8n },
  ]);
});

test('a trace without hashes is told by its place in the block, and one that is too short is refused', () => {
  const trace = { result: { type: 'CALL', from: A, to: B, calls: [{ type: 'CALL', from: B, to: C, value: '0x1' }] } };
  expect([...fromCallTracer([trace, trace], [hash('1'), hash('2')]).keys()]).toEqual([hash('1'), hash('2')]);
  expect(() => fromCallTracer([trace], [hash('1'), hash('2')])).toThrow(Malformed);
});

test('a transaction that failed moved nothing', () => {
  const result = { type: 'CALL', from: A, to: B, error: 'out of gas', calls: [{ type: 'CALL', from: B, to: C, value: '0x1' }] };
  expect(fromCallTracer([{ result }], [hash('1')]).get(hash('1'))).toEqual([]);
});

test('the flat dialect tells the same', () => {
  const trace = (type: string, traceAddress: number[], action: object, more: object = {}) => ({ type, traceAddress, action, blockHash: hash('e'), transactionHash: hash('1'), result: {}, ...more });
  const call = (from: string, to: string, value: string, callType = 'call') => ({ callType, from, to, value });
  expect(fromParity([
    trace('call', [], call(A, B, '0x63')),
    trace('call', [0], call(B, C, '0x1')),
    trace('call', [0, 0], call(C, A, '0x2')),
    trace('call', [1], call(B, C, '0x3'), { error: 'Reverted' }),
    trace('call', [1, 0], call(C, A, '0x4')),
    trace('call', [2], call(B, C, '0x63', 'delegatecall')),
    trace('call', [2, 0], call(B, A, '0x5')),
    trace('create', [3], { from: B, value: '0x7' }, { result: { address: C } }),
    trace('suicide', [10], { address: B, refundAddress: A, balance: '0x8' }, { result: null }),
    { type: 'reward', traceAddress: [], action: { author: A, value: '0x9' }, blockHash: hash('e'), transactionHash: null },
  ], hash('e')).get(hash('1'))).toEqual([
    { ordinal: 1, from: B, to: C, valueWei: 1n },
    { ordinal: 2, from: C, to: A, valueWei: 2n },
    { ordinal: 3, from: B, to: A, valueWei: 5n },
    { ordinal: 4, from: B, to: C, valueWei: 7n },
    { ordinal: 5, from: B, to: A, valueWei: 8n },
  ]);
  expect(() => fromParity([trace('call', [], call(A, B, '0x1'))], hash('f'))).toThrow(Malformed);
});
