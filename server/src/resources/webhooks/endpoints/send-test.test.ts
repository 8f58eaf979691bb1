import { afterEach, expect, test, vi } from 'vitest';
import { createCaches } from '../../../caches.ts';
import { takeTest } from './send-test.ts';

const account = { id: 'acc_1', livemode: false };

afterEach(() => vi.restoreAllMocks());

test('sixty tests in a row, then one a second, and two servers in one process share nothing', () => {
  let nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const ctx = { caches: createCaches() };
  const take = () => takeTest(ctx, account);
  for (let count = 0; count < 60; count += 1) take();
  expect(take).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }));
  takeTest(ctx, { ...account, id: 'acc_2' });
  takeTest({ caches: createCaches() }, account);
  nowMs += 1_000;
  take();
  expect(take).toThrow('Too many test deliveries');
});
