import { expect, test, vi } from 'vitest';
import { BoundedMap, cached } from './cached.ts';

test('concurrent callers of one key share one search', async () => {
  const cache = cached<number>({ max: 10 });
  const { promise, resolve } = Promise.withResolvers<number>();
  const find = vi.fn(() => promise);
  const both = Promise.all([cache.get('a', find), cache.get('a', find)]);
  const other = cache.get('b', async () => 2);
  resolve(1);
  expect(await both).toEqual([1, 1]);
  expect(await other).toBe(2);
  expect(await cache.get('a', find)).toBe(1);
  expect(find).toHaveBeenCalledTimes(1);
});

test('a failed search is not kept, and all who waited for it learn why', async () => {
  const cache = cached<number>({ max: 10 });
  const failing = vi.fn(async () => Promise.reject(new Error('no answer')));
  const both = await Promise.allSettled([cache.get('a', failing), cache.get('a', failing)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(failing).toHaveBeenCalledTimes(1);
  expect(cache.last('a')).toBeUndefined();
  expect(await cache.get('a', async () => 2)).toBe(2);
});

test('a search that throws at once fails like any other', async () => {
  const cache = cached<number>({ max: 10 });
  const find = () => {
    throw new Error('no answer');
  };
  await expect(cache.get('a', find)).rejects.toThrow('no answer');
  expect(await cache.get('a', async () => 2)).toBe(2);
});

test('an answer is fresh for its time, from its arrival on', async () => {
  let now = 0;
  const cache = cached<number>({ max: 10, ttlMs: 100, nowMs: () => now });
  await cache.get('a', async () => {
    now = 50;
    return 1;
  });
  now = 149;
  expect(await cache.get('a', async () => 2)).toBe(1);
  now = 150;
  expect(await cache.get('a', async () => 2)).toBe(2);
});

test('the time may depend on the answer', async () => {
  let now = 0;
  const cache = cached<string | null>({ max: 10, ttlMs: (answer) => (answer ? 100 : 10), nowMs: () => now });
  await cache.get('a', async () => null);
  await cache.get('b', async () => 'b');
  now = 10;
  expect(await cache.get('a', async () => 'new')).toBe('new');
  expect(await cache.get('b', async () => 'new')).toBe('b');
});

test("the caller's own instant decides, where it is given", async () => {
  const cache = cached<number>({ max: 10, ttlMs: 100 });
  await cache.get('a', async () => 1, 1_000);
  // A concurrent request may have read its clock earlier.
  expect(await cache.get('a', async () => 2, 990)).toBe(1);
  expect(await cache.get('a', async () => 2, 1_100)).toBe(2);
});

test('with no time at all only concurrent callers share an answer', async () => {
  const cache = cached<number>({ max: 10, ttlMs: 0 });
  let found = 0;
  const find = async () => (found += 1);
  expect(await Promise.all([cache.get('a', find), cache.get('a', find)])).toEqual([1, 1]);
  expect(await cache.get('a', find)).toBe(2);
});

test('a stale answer is served while the next one is found, once for all', async () => {
  let now = 0;
  const cache = cached<number>({ max: 10, ttlMs: 100, isServedStale: true, nowMs: () => now });
  await cache.get('a', async () => 1);
  now = 100;
  const { promise, resolve } = Promise.withResolvers<number>();
  const find = vi.fn((_last: number | undefined) => promise);
  expect(await cache.get('a', find)).toBe(1);
  expect(await cache.get('a', find)).toBe(1);
  expect(find.mock.calls).toEqual([[1]]);
  resolve(2);
  await promise;
  await expect.poll(() => cache.get('a', find)).toBe(2);
  expect(find).toHaveBeenCalledTimes(1);
});

test('a failure in the background leaves the stale answer', async () => {
  let now = 0;
  const cache = cached<number>({ max: 10, ttlMs: 100, isServedStale: true, nowMs: () => now });
  await cache.get('a', async () => 1);
  now = 100;
  const failing = async () => Promise.reject(new Error('no answer'));
  expect(await cache.get('a', failing)).toBe(1);
  await new Promise(setImmediate);
  expect(await cache.get('a', failing)).toBe(1);
  expect(cache.last('a')).toBe(1);
});

test('the last answer outlives an outage if the rules say so', async () => {
  let now = 0;
  const cache = cached<number>({ max: 10, ttlMs: 100, isServedOnError: true, nowMs: () => now });
  const failing = async () => Promise.reject(new Error('no answer'));
  await expect(cache.get('a', failing)).rejects.toThrow('no answer');
  await cache.get('a', async () => 1);
  now = 100;
  expect(await cache.get('a', failing)).toBe(1);
  expect(await cache.get('a', async () => 2)).toBe(2);
});

test('what is dropped during its search is not kept', async () => {
  const cache = cached<number>({ max: 10 });
  const { promise, resolve } = Promise.withResolvers<number>();
  const waiting = cache.get('a', () => promise);
  cache.drop('a');
  resolve(1);
  expect(await waiting).toBe(1);
  expect(await cache.get('a', async () => 2)).toBe(2);
  cache.clear();
  expect(await cache.get('a', async () => 3)).toBe(3);
});

test('a failure after a drop does not remove its successor', async () => {
  const cache = cached<number>({ max: 10 });
  const { promise, reject } = Promise.withResolvers<number>();
  const waiting = cache.get('a', () => promise);
  cache.drop('a');
  await cache.get('a', async () => 2);
  reject(new Error('no answer'));
  await expect(waiting).rejects.toThrow('no answer');
  expect(cache.last('a')).toBe(2);
});

test('the oldest answer makes room', async () => {
  const cache = cached<number>({ max: 2 });
  for (const [at, key] of ['a', 'b', 'c'].entries()) await cache.get(key, async () => at);
  expect(['a', 'b', 'c'].map((key) => cache.last(key))).toEqual([undefined, 1, 2]);
});

test('a full map replaces what it has and drops its oldest for what is new', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  expect([...map.set('c', 4).keys()]).toEqual(['b', 'c']);
});
