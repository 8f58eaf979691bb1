import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { observe } from './cell.ts';

let node: TestChain;
beforeAll(async () => {
  node = await startAnvil({ blockTimeSeconds: 1 });
});
afterAll(() => node.stop());

// The short form; the long one, with every delay and number of processes, is `npm run program -- slow-provider`.
test('of three providers, one that answers after 11.5 seconds does not stop a network that three processes may read', async () => {
  const cell = { delaysMs: [11_500], workers: 3 };
  const { longestMs, moves } = await observe(cell, { node, forMs: 70_000, until: (count) => count >= 8 });
  expect(moves).toBeGreaterThanOrEqual(8);
  expect(longestMs).toBeLessThan(60_000);
}, 150_000);
