import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { attempt } from './support/attempts.ts';

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const never = () => new Promise<string>(() => {});
const LIMITS = { name: 'dashboard, phone', times: 2, timeoutMs: 5, stopped: new AbortController().signal };

test('work that hangs is left, with its signal aborted, and tried again', async () => {
  const signals: AbortSignal[] = [];
  const result = await attempt(LIMITS, (signal) => {
    signals.push(signal);
    return signals.length === 1 ? never() : Promise.resolve('measured');
  });
  expect(result).toBe('measured');
  expect(signals[0]?.aborted).toBe(true);
  expect(console.error).toHaveBeenCalledWith('dashboard, phone: attempt 1 of 2 failed: no result within 0.005 s');
});

test('work that hangs every time ends in an error with its name', async () => {
  await expect(attempt(LIMITS, never)).rejects.toThrow('dashboard, phone: no result within 0.005 s');
  expect(console.error).toHaveBeenCalledTimes(2);
});

test('work that fails every time ends in an error with its name and the reason', async () => {
  const failing = () => Promise.reject(new Error('the page crashed'));
  await expect(attempt(LIMITS, failing)).rejects.toThrow('dashboard, phone: the page crashed');
});

test('a stop from outside ends work that hangs at once, without another attempt', async () => {
  const stop = new AbortController();
  const work = vi.fn(never);
  const waiting = attempt({ ...LIMITS, timeoutMs: 60_000, stopped: stop.signal }, work);
  stop.abort(new Error('SIGTERM arrived'));
  await expect(waiting).rejects.toThrow('SIGTERM arrived');
  expect(work).toHaveBeenCalledTimes(1);
});
