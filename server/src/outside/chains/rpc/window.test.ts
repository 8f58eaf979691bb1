import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ProviderError, RateLimitError, RpcError, UnansweredError } from './errors.ts';
import { narrowing } from './narrowing.ts';
import { createWindow } from './window.ts';

test("a window finds any provider's limit within a few queries and then seldom exceeds it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), (allowed) => {
      const window = createWindow();
      let refused = 0;
      let read = 0;
      for (let question = 0; question < 200; question++) {
        const tried = window.blocks;
        if (tried > allowed) {
          refused += 1;
          expect(window.narrow(tried)).toBe(true);
        } else {
          read += tried;
          window.widen(tried);
        }
      }
      expect(refused).toBeLessThan(40);
      expect(read).toBeGreaterThan(allowed > 4 ? (Math.min(allowed, 10_000) * 160) / 3 : 160);
    }),
  );
});

test('a window of one block cannot be narrowed', () => {
  expect(createWindow(1).narrow(1)).toBe(false);
});

test('a short step at the head does not widen the window', () => {
  const window = createWindow(100);
  window.widen(1);
  expect(window.blocks).toBe(100);
});

test('a width that is only doubted is found as quickly, and is not asked for again and again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), (allowed) => {
      const window = createWindow();
      let refused = 0;
      for (let question = 0; question < 200; question++) {
        const tried = window.blocks;
        if (tried > allowed) {
          refused += 1;
          expect(window.doubt(tried)).toBe(true);
        } else window.widen(tried);
      }
      expect(refused).toBeLessThan(50);
    }),
  );
});

test('after a provider was down, a window is soon as wide as before', () => {
  const window = createWindow(500);
  while (window.doubt(window.blocks));
  expect(window.blocks).toBe(1);
  let steps = 0;
  for (; window.blocks < 500; steps += 1) window.widen(window.blocks);
  expect(steps).toBeLessThan(12);
});

test('a rate limit narrows no window, unless it meets the same step again and again', async () => {
  const window = createWindow(500);
  const limited = () =>
    narrowing(window, 500, () => Promise.reject(new RateLimitError('node rate-limited the server'))).catch(() => {});
  for (let turn = 0; turn < 10; turn += 1) {
    await limited();
    await limited();
    expect(window.blocks).toBe(500);
    await narrowing(window, 500, async () => window.widen(1));
  }
  for (let turn = 0; turn < 3; turn += 1) await limited();
  expect(window.blocks).toBe(250);
  window.widen(250);
  expect(window.blocks).toBe(500);
});

test.each<[number, string, Error, number]>([
  [9, 'that refuses it', new RpcError('logs', -32_000, 'refused'), 0],
  [2, 'that takes three seconds to refuse it', new RpcError('logs', -32_000, 'refused'), 3_000],
  [1, 'that does not answer it', new UnansweredError('node did not answer'), 0],
  [1, 'whose answers contradict each other', new ProviderError('node puts it into two blocks'), 0],
])('a step of 500 blocks is tried %i times before it counts against a provider %s', async (times, _, error, tookMs) => {
  let [nowMs, tries] = [0, 0];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const window = createWindow(500);
  const step = () => {
    [nowMs, tries] = [nowMs + tookMs, tries + 1];
    return Promise.reject(error);
  };
  await expect(narrowing(window, 500, step)).rejects.toBe(error);
  clock.mockRestore();
  expect(tries).toBe(times);
});

test('the narrowest window grows to the widest within some hundred steps, however often it was refused before', () => {
  const window = createWindow(500);
  while (window.narrow(window.blocks));
  let steps = 0;
  for (; window.blocks < 10_000; steps += 1) window.widen(window.blocks);
  expect(steps).toBeLessThan(700);
});
