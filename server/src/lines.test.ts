import { expect, test, vi } from 'vitest';
import { createLines } from './lines.ts';

test("a request that has waited ten seconds for an account's sandbox is refused, and others are done", async () => {
  vi.useFakeTimers();
  try {
    const { sandboxes } = createLines();
    const moving = Promise.withResolvers<string>();
    const first = sandboxes.inTurn('acct_1', () => moving.promise);
    const waiting = sandboxes.inTurn('acct_1', async () => 'paid').catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(10_000);
    moving.resolve('moved');
    expect(await Promise.all([first, waiting])).toEqual(['moved', 'rate_limited']);
    expect(await sandboxes.inTurn('acct_1', async () => 'paid')).toBe('paid');
  } finally {
    vi.useRealTimers();
  }
});
