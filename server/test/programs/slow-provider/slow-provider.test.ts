import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { observe } from './cell.ts';

let node: TestChain;
beforeAll(async () => {
  node = await startAnvil({ blockTimeSeconds: 1 });
});
afterAll(() => node.stop());

// The short form; the long one is `npm run program -- slow-provider`.
test.each([
  { delaysMs: [5_000], workers: 2 },
  { delaysMs: [11_500], workers: 3 },
])(
  'of three providers, those that answer after $delaysMs ms do not stop a network that $workers processes may read',
  async (cell) => {
    const { longestMs, moves } = await observe(cell, { node, forMs: 70_000, until: (count) => count >= 8 });
    expect(moves).toBeGreaterThanOrEqual(8);
    expect(longestMs).toBeLessThan(60_000);
  },
  150_000,
);
