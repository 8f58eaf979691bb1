import { expect, test } from 'vitest';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import type { Evm } from './evm.ts';
import { transferLogs } from './logs.ts';

const evm = { tokens: new Map(), nativeEmitter: null, maxFilteredWallets: 1 } as unknown as Evm;
const watched = new Map([[`0x${'11'.repeat(20)}`, `0x${'11'.repeat(20)}`]]);
const [call] = transferLogs(evm, watched, { from: 1n, to: 2n });

test('null is an empty list of logs, as Erigon sends it', () => {
  expect(call?.parse(null)).toEqual([]);
  expect(call?.parse([])).toEqual([]);
});

test.each([undefined, {}, 'logs', 0])('%j is rejected', (answer) =>
  expect(() => call?.parse(answer)).toThrow(MalformedAnswerError),
);
