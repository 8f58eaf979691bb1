import { expect, test, vi } from 'vitest';
import { createFeeds, type FeedRules } from './feed.ts';

/** A feed whose looks the test answers, on a channel that the test rings. */
function feedOfTest({ everyMs = 60_000 } = {}) {
  const listeners = new Set<(payload: string) => void>();
  const looks: { members: string[]; answer(found: 'more' | 'idle'): void; fail(error: Error): void }[] = [];
  const ended: string[] = [];
  const failed = vi.fn();
  const rules: FeedRules<string> = {
    db: {
      async listen(_, listener) {
        listeners.add(listener);
        return async () => void listeners.delete(listener);
      },
    },
    channel: 'payments',
    concerns: (payload) => payload === 'pay_1',
    everyMs,
    look(members) {
      const { promise, resolve, reject } = Promise.withResolvers<'more' | 'idle'>();
      looks.push({ members: [...members], answer: resolve, fail: reject });
      return promise;
    },
    failed,
    end: (member) => ended.push(member),
  };
  const feeds = createFeeds();
  return {
    feeds,
    looks,
    ended,
    failed,
    listeners,
    join: (member: string, name = 'pay_1') => feeds.join(name, member, () => rules),
    ring: (payload: string) => listeners.forEach((listener) => listener(payload)),
  };
}

const settled = () => new Promise(setImmediate);

test('all who wait share a look, and one who joins during it is in the next', async () => {
  const { looks, join, feeds } = feedOfTest();
  join('a');
  join('b');
  await settled();
  expect(looks.map(({ members }) => members)).toEqual([['a', 'b']]);
  join('c');
  expect(feeds.count('pay_1')).toBe(3);
  looks[0]?.answer('idle');
  await settled();
  expect(looks.map(({ members }) => members).slice(1)).toEqual([['a', 'b', 'c']]);
});

test('a signal about the feed makes it look, also during a look; others do not', async () => {
  const { looks, join, ring } = feedOfTest();
  join('a');
  await settled();
  looks[0]?.answer('idle');
  await settled();
  ring('pay_2');
  await settled();
  expect(looks).toHaveLength(1);
  ring('pay_1');
  await settled();
  expect(looks).toHaveLength(2);
  ring('pay_1');
  looks[1]?.answer('idle');
  await settled();
  expect(looks).toHaveLength(3);
});

test('it polls, and looks at once while there is more', async () => {
  const { looks, join } = feedOfTest({ everyMs: 1 });
  join('a');
  await settled();
  looks[0]?.answer('more');
  await settled();
  expect(looks).toHaveLength(2);
  looks[1]?.answer('idle');
  await expect.poll(() => looks).toHaveLength(3);
});

test('it ends with its last member and hears no more, and the next one opens another', async () => {
  const { looks, join, listeners, feeds } = feedOfTest();
  const first = join('a');
  const second = join('b');
  await settled();
  looks[0]?.answer('idle');
  await settled();
  first.leave();
  await settled();
  expect(listeners.size).toBe(1);
  second.leave();
  await settled();
  expect([listeners.size, feeds.count('pay_1'), looks.length]).toEqual([0, 0, 1]);
  join('c');
  await settled();
  expect(looks.map(({ members }) => members)).toEqual([['a', 'b'], ['c']]);
});

test('a failed look ends the feed and all who wait in it', async () => {
  const { looks, join, ended, failed, listeners, feeds } = feedOfTest();
  join('a');
  join('b');
  await settled();
  looks[0]?.fail(new Error('no database'));
  await settled();
  expect(failed).toHaveBeenCalledTimes(1);
  expect([ended, listeners.size, feeds.count('pay_1')]).toEqual([['a', 'b'], 0, 0]);
});

test('feeds of different names, and those of two processes, share nothing', async () => {
  const { looks, join } = feedOfTest();
  join('a');
  join('b', 'pay_2');
  await settled();
  expect(looks.map(({ members }) => members)).toEqual([['a'], ['b']]);
  expect(createFeeds().count('pay_1')).toBe(0);
});

test('without a connection for signals it polls', async () => {
  const feeds = createFeeds();
  const look = vi.fn(async () => 'idle' as const);
  const { leave } = feeds.join('a', 'a', () => ({
    db: { listen: () => Promise.reject(new Error('no connection')) },
    channel: 'payments',
    concerns: () => true,
    everyMs: 1,
    look,
    failed: () => {},
    end: () => {},
  }));
  await expect.poll(() => look.mock.calls.length).toBeGreaterThan(2);
  leave();
});
