import { afterEach, expect, test, vi } from 'vitest';
import type { EthereumProvider } from './announced.ts';
import { hashesOfCalls } from './calls.ts';

afterEach(() => vi.useRealTimers());

const [ONE, TWO, THREE] = ['0x1', '0x2', '0x3'] as const;
const answering = (status: number | string, hashes: readonly string[]) =>
  ({
    request: async () => ({ status, receipts: hashes.map((transactionHash) => ({ transactionHash })) }),
  }) as unknown as EthereumProvider;

test.each([
  ['one transaction for all', 200, [ONE], [ONE, ONE, ONE]],
  ['one transaction for all, by the old status', 'CONFIRMED', [ONE], [ONE, ONE, ONE]],
  ['a receipt of the same transaction for each', 200, [ONE, ONE, ONE], [ONE, ONE, ONE]],
  ['a transaction for each', 200, [ONE, TWO, THREE], [ONE, TWO, THREE]],
  ['one that was reverted', 500, [ONE], [ONE, ONE, ONE]],
  // Which of them were carried out is not said.
  ['transactions of some', 200, [ONE, TWO], null],
  ['a part, in one transaction', 600, [ONE], null],
  ['a part, and no transaction', 600, [], null],
  ['a status that no one knows', 700, [], null],
  ['no transaction, though it is confirmed', 200, [], null],
  ['that none was carried out', 400, [], undefined],
  ['that all were reverted', 500, [], undefined],
])('of three calls, the wallet names %s', async (_what, status, hashes, expected) => {
  expect(await hashesOfCalls(answering(status, hashes), '0xid', 3)).toEqual(expected);
});

test('the transaction of a single call is known as soon as the wallet names it', async () => {
  expect(await hashesOfCalls(answering(100, [ONE]), '0xid', 1)).toEqual([ONE]);
});

const failing = (...errors: unknown[]) =>
  ({
    request: async () => {
      if (errors.length > 0) throw errors.shift();
      return { status: 200, receipts: [{ transactionHash: ONE }] };
    },
  }) as unknown as EthereumProvider;

test('a wallet that is locked, busy or out of reach for a moment is asked again what became of its calls', async () => {
  vi.useFakeTimers();
  const asked = hashesOfCalls(failing({ code: 4100 }, { code: -32002 }, new Error('Disconnected.')), '0xid', 1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await asked).toEqual([ONE]);
});

test.each([[{ code: -32601 }], [{ code: 4200 }]])(
  'a wallet that never says what became of its calls has them all the same: %j',
  async (error) => {
    expect(await hashesOfCalls(failing(error), '0xid', 1)).toBeNull();
  },
);

test('a wallet that names neither a status nor transactions is asked again', async () => {
  vi.useFakeTimers();
  const answers = [null, {}, { status: 200, receipts: null }];
  const provider = { request: async () => answers.shift() } as unknown as EthereumProvider;
  const asked = hashesOfCalls(provider, '0xid', 1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await asked).toBeNull();
  expect(answers).toEqual([]);
});
