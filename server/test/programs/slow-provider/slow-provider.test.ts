import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { observe } from './cell.ts';

let node: TestChain;
beforeAll(async () => {
  node = await startAnvil({ blockTimeSeconds: 1 });
});
afterAll(() => node.stop());

const LATE_MS = 11_500;

// The short form; the long one, with every delay and number of processes, is `npm run program -- slow-provider`.
test.concurrent.each([
  ['first', [LATE_MS, 0, 0]],
  ['second', [0, LATE_MS, 0]],
] as const)(
  'of three providers, the %s, which answers after 11.5 seconds, is waited for by no pass of a network that three processes may read',
  async (_, delaysMs) => {
    const passes = await observe(
      { delaysMs, workers: 3 },
      { node, hasBegun: true, forMs: 60_000, until: ({ first, second }) => first.moves >= 8 && second.moves >= 5 },
    );
    for (const { moves, longestMs } of [passes.first, passes.second]) {
      expect(moves).toBeGreaterThanOrEqual(5);
      expect(longestMs).toBeLessThan(LATE_MS);
    }
  },
  150_000,
);
