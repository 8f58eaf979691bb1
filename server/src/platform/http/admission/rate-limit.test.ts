import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Client } from './client.ts';
import { createLimiter } from './rate-limit.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const limiterOf = (requestsPerSecond: number) =>
  createLimiter({ requestsPerSecond, redisUrl: null, log: pino({ level: 'silent' }) });
const client = Client.at('203.0.113.9');
const take = async (limiter: ReturnType<typeof limiterOf>, many: number, cost?: number) => {
  const verdicts = [];
  for (let one = 0; one < many; one += 1) verdicts.push(await limiter.requests.take(client, cost));
  return verdicts;
};
const allowedOf = (verdicts: { allowed: boolean }[]) => verdicts.filter(({ allowed }) => allowed).length;

test('exactly the limit passes in the second that the first request opens, whenever in it the rest come', async () => {
  const limiter = limiterOf(100);
  expect(allowedOf(await take(limiter, 60))).toBe(60);
  vi.advanceTimersByTime(999);
  const late = await take(limiter, 70);
  expect(allowedOf(late)).toBe(40);
  expect(late.map(({ remaining }) => remaining)).toEqual([
    ...Array.from({ length: 40 }, (_, at) => 39 - at),
    ...Array.from({ length: 30 }, () => 0),
  ]);
  expect(late.at(-1)).toMatchObject({ limit: 100, retryAfterSeconds: 1, resetUnixSeconds: 1_700_000_001 });
  // The refused ones did not extend the window.
  vi.advanceTimersByTime(1);
  expect(allowedOf(await take(limiter, 130))).toBe(100);
});

test('a request that costs as much as several counts like them, and passes where the whole limit is less', async () => {
  expect(allowedOf(await take(limiterOf(100), 30, 5))).toBe(20);
  const low = limiterOf(3);
  expect(allowedOf(await take(low, 2, 5))).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(allowedOf(await take(low, 2, 5))).toBe(1);
});
