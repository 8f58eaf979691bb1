import { expect, test } from 'vitest';
import { RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { hashOf, hex } from '../../../../test/support/evm-answers.ts';
import { findBlockAt as findAtPace } from './block-at.ts';

const NEWEST = 24_000_000;
const MERGE = 15_537_393;
const MINUTE = 5;

/** Ethereum's pace: some 14 seconds a block for years, and 12 since. */
const secondsAt = (number: number) => 14 * Math.min(number, MERGE) + 12 * Math.max(0, number - MERGE);
const at = (number: number) => new Date(secondsAt(number) * 1_000);

const findBlockAt = (node: Provider, time: Date) => findAtPace(node, time, 12_000);

/** A node, and how often it was asked. */
function nodeWith(keeps: (number: number) => boolean, refuse: () => unknown): { node: Provider; asked: number[] } {
  const asked: number[] = [];
  const node = {
    name: 'node',
    get proven() {
      return node;
    },
    call: async (call: Call<unknown>) => {
      const number = call.params[0] === 'latest' ? NEWEST : Number(call.params[0]);
      asked.push(number);
      if (!keeps(number)) return call.parse(refuse());
      return call.parse({
        number: hex(number),
        hash: hashOf(number),
        parentHash: hashOf(Math.max(0, number - 1)),
        timestamp: hex(secondsAt(number)),
      });
    },
  };
  return { node: node as unknown as Provider, asked };
}

const REFUSALS: [string, () => unknown][] = [
  ['an error', () => raise(new RpcError('eth_getBlockByNumber', 4444, 'pruned history unavailable'))],
  ['nothing', () => null],
];

function raise(error: Error): never {
  throw error;
}

test.each(REFUSALS)(
  'a node that answers with %s for old blocks names the last block at an instant that it has',
  async (_, refuse) => {
    for (const back of [1, MINUTE, 25, 7_200, 100_000]) {
      const { node, asked } = nodeWith((number) => number === 0 || number >= NEWEST - 100_000, refuse);
      const found = await findBlockAt(node, new Date(at(NEWEST - back).getTime() + 1));
      expect(found).toMatchObject({ block: { number: BigInt(NEWEST - back) }, reached: true });
      expect(asked.length).toBeLessThan(45);
    }
  },
);

test.each(REFUSALS)(
  'of a node that answers with %s for the blocks that are wanted the oldest one is named',
  async (_, refuse) => {
    const oldest = NEWEST - 100_000;
    const { node } = nodeWith((number) => number >= oldest, refuse);
    expect(await findBlockAt(node, at(oldest - 50_000))).toMatchObject({
      block: { number: BigInt(oldest) },
      reached: false,
    });
  },
);

test('an instant before the chain is the first block, and one after the head is the newest', async () => {
  const { node } = nodeWith(
    () => true,
    () => null,
  );
  expect(await findBlockAt(node, new Date(-1))).toMatchObject({ block: { number: 0n }, reached: true });
  expect(await findBlockAt(node, at(NEWEST + 1))).toMatchObject({ block: { number: BigInt(NEWEST) }, reached: true });
});

const FAILURES: [string, (number: number) => boolean, () => unknown][] = [
  ['has no new block yet', (number) => number < NEWEST - 5 || number === NEWEST, () => null],
  [
    'limits requests',
    (number) => number === NEWEST,
    () => raise(new RpcError('eth_getBlockByNumber', -32005, 'too many requests')),
  ],
];

test.each(FAILURES)('a node that %s names no later block for that', async (_, keeps, refuse) => {
  await expect(findBlockAt(nodeWith(keeps, refuse).node, at(NEWEST - 2_000))).rejects.toThrow();
});

test.each(REFUSALS)(
  'a node that answers with %s for blocks of the last hour is behind, not without history',
  async (_, refuse) => {
    const { node } = nodeWith((number) => number > NEWEST - 200, refuse);
    await expect(findBlockAt(node, at(NEWEST - 250))).rejects.toThrow('has no block');
  },
);

test.each(REFUSALS)('a node that answers with %s for a moment names no later block for that', async (_, refuse) => {
  let missed = 0;
  const { node } = nodeWith((number) => number > NEWEST - 1_000 || missed++ > 0, refuse);
  await expect(findBlockAt(node, at(NEWEST - 2_000))).rejects.toThrow('for a moment');
});
