import { describe, expect, test } from 'vitest';
import type { RouteProgress } from '../../outside/routers/router.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { afterProgress, isDeliveryOverdue, pauseMs } from './progress.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';

const BEGIN = new Date('2026-03-14T12:00:00Z');
const PAYMENT = { livemode: true, status: 'pending' as const, expiresAt: later(BEGIN, HOUR_MS) };
const ORDER = {
  state: 'waiting',
  reason: null,
  depositedUnits: null,
  depositedAt: null,
  convertingAt: null,
  payoutTxHashes: [],
  polledAt: null,
  hintedAt: null,
  doneAt: null,
  dueAt: BEGIN,
  createdAt: BEGIN,
  deadline: later(BEGIN, 3 * DAY_MS),
} as unknown as StoredOrder;
const at = (ms: number) => later(BEGIN, ms);

const SAID: Record<string, RouteProgress> = {
  waiting: { state: 'waiting' },
  unknown: { state: 'waiting', isUnknown: true },
  seen: { state: 'seen', depositedUnits: 81_000n, depositedAt: at(5_000) },
  announced: { state: 'seen', depositedUnits: null, depositedAt: at(4_000) },
  nothing: { state: 'seen', depositedUnits: 0n, depositedAt: at(4_000) },
  early: { state: 'converting', depositedAt: at(-DAY_MS) },
  future: { state: 'converting', depositedAt: at(DAY_MS) },
  short: { state: 'short', depositedUnits: 7n },
  converting: { state: 'converting', depositedAt: at(6_000) },
  delivering: { state: 'delivering', payoutTxHashes: ['a'] },
  done: { state: 'done', payoutTxHashes: ['b'], outputUnits: null },
  returned: { state: 'returned', reason: null, refundedUnits: null },
  stuck: { state: 'stuck', reason: 'compliance_hold' },
  dead: { state: 'dead', reason: 'route_expired' },
};

function afterReports(...words: string[]): StoredOrder {
  return words.reduce(
    (order, word, index) =>
      afterProgress(order, SAID[word] as RouteProgress, PAYMENT, at((index + 1) * 10 * SECOND_MS)),
    ORDER,
  );
}

describe("a provider's reports, in any order", () => {
  test.each([
    ['seen', 'waiting', 'waiting'],
    ['short', 'waiting', 'waiting'],
    ['seen', 'short', 'short'],
    ['converting', 'waiting', 'converting'],
    ['converting', 'seen', 'converting'],
    ['converting', 'short', 'converting'],
    ['delivering', 'converting', 'delivering'],
    ['done', 'delivering', 'done'],
    ['done', 'waiting', 'done'],
    ['returned', 'waiting', 'returned'],
    ['returned', 'converting', 'returned'],
    ['returned', 'done', 'done'],
    ['returned', 'dead', 'returned'],
    ['stuck', 'delivering', 'delivering'],
    ['dead', 'seen', 'dead'],
    ['done', 'returned', 'returned'],
    ['seen', 'unknown', 'seen'],
    ['done', 'unknown', 'done'],
  ])('%s and then %s is %s', (first, second, state) => {
    expect(afterReports(first, second).state).toBe(state);
  });

  test('said twice, nothing changes but when it was asked', () => {
    for (const word of Object.keys(SAID)) {
      const once = afterReports(word);
      expect({ ...afterReports(word, word), polledAt: null, dueAt: null }).toEqual({
        ...once,
        polledAt: null,
        dueAt: null,
      });
    }
  });

  test('payouts are gathered, and what was deposited when is kept until the deposit vanishes', () => {
    expect(afterReports('seen', 'delivering', 'done')).toMatchObject({
      payoutTxHashes: ['a', 'b'],
      depositedUnits: 81_000n,
      depositedAt: at(5_000),
      doneAt: at(30_000),
    });
    expect(afterReports('seen', 'waiting')).toMatchObject({ depositedUnits: null, depositedAt: null });
  });
});

test('a deposit has an instant only once the provider has counted money or started to convert it', () => {
  expect([afterReports('announced').depositedAt, afterReports('nothing').depositedAt]).toEqual([null, null]);
  expect(afterReports('announced', 'seen').depositedAt).toEqual(at(5_000));
  expect(afterReports('announced', 'converting').depositedAt).toEqual(at(6_000));
  expect(afterReports('announced', 'delivering').depositedAt).toEqual(at(20_000));
});

test('a provider dates no deposit before its order, and none in the future', () => {
  expect([afterReports('early').depositedAt, afterReports('future').depositedAt]).toEqual([BEGIN, at(10_000)]);
});

test('a provider that names ever more payouts fills no row', () => {
  const many = Array.from({ length: 30 }, (_, index) => `hash ${index}`);
  const order = many.reduce(
    (known, hash) => afterProgress(known, { state: 'delivering', payoutTxHashes: [hash] }, PAYMENT, at(10_000)),
    ORDER,
  );
  expect(order.payoutTxHashes).toEqual(many.slice(0, 20));
});

describe('how often a provider is asked', () => {
  const pause = (order: Partial<StoredOrder>, ms: number) =>
    pauseMs({ ...ORDER, ...order }, PAYMENT, at(ms)) / SECOND_MS;

  test('every 2 s in the first two minutes, every 5 s for a quarter of an hour, every 30 s until the session ends, then every 5 minutes', () => {
    expect([0, 119, 120, 899, 900, 3_599, 3_600, 200_000].map((seconds) => pause({}, seconds * 1000))).toEqual([
      2, 2, 5, 5, 30, 30, 300, 300,
    ]);
  });

  test('often again after a hint and after a deposit, and every 30 s while money is under way', () => {
    expect(pause({ hintedAt: at(30 * MINUTE_MS) }, 31 * MINUTE_MS)).toBe(2);
    expect(pause({ depositedAt: at(2 * HOUR_MS), state: 'converting' }, 2 * HOUR_MS + 5 * MINUTE_MS)).toBe(5);
    expect(pause({ depositedAt: at(2 * HOUR_MS), state: 'converting' }, 3 * HOUR_MS)).toBe(30);
  });

  test('on past our expiry until the provider is final, or a day after its deadline', () => {
    const after = (word: string, ms: number, status: 'expired' | 'paid' | 'settling' = 'expired') =>
      afterProgress(ORDER, SAID[word] as RouteProgress, { ...PAYMENT, status }, at(ms)).dueAt;
    expect(after('waiting', 2 * DAY_MS)).toEqual(at(2 * DAY_MS + 5 * MINUTE_MS));
    expect(after('waiting', 4 * DAY_MS + 1)).toBeNull();
    for (const word of ['returned', 'stuck', 'dead']) expect(after(word, 2 * HOUR_MS)).toBeNull();
    expect(after('done', 2 * HOUR_MS, 'settling')).not.toBeNull();
    expect(after('done', 2 * HOUR_MS, 'paid')).toBeNull();
  });
});

test('a reported delivery is overdue a day after the first report', () => {
  const order = afterReports('done', 'done');
  expect([isDeliveryOverdue(order, at(DAY_MS + 10_000)), isDeliveryOverdue(order, at(DAY_MS + 10_001))]).toEqual([
    false,
    true,
  ]);
});

describe('when a conversion began, which its price hangs on', () => {
  test('is when we learned of it, whatever instant the provider names', () => {
    const begun = afterProgress(ORDER, { state: 'converting', depositedAt: at(1_000) }, PAYMENT, at(HOUR_MS));
    expect([begun.depositedAt, begun.convertingAt]).toEqual([at(1_000), at(HOUR_MS)]);
  });

  test('is not when the deposit was announced or counted', () => {
    expect(afterReports('announced').convertingAt).toBeNull();
    expect(afterReports('seen', 'short').convertingAt).toBeNull();
    expect(afterReports('seen', 'converting').convertingAt).toEqual(at(20 * SECOND_MS));
  });

  test('stays as it was learned first', () => {
    expect(afterReports('done', 'delivering', 'converting').convertingAt).toEqual(at(10 * SECOND_MS));
  });
});
