import { expect, test } from 'vitest';
import { readActivity } from '../../../src/resources/dashboard/overview.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { fillPayments } from '../../support/fill.ts';
import { startApp } from '../../support/index.ts';

const DAYS = 60;
const NOW = new Date('2026-06-30T12:00:00Z');

test('sales of many days are summed in steps, and a request that fails in the middle keeps the days before it', async () => {
  await using app = await startApp();
  const { ctx, merchant } = app;
  const session = await merchant.createSession({ amount: '10.00' });
  // On day n of 60, n payments are started and all but every third are paid. The 20th day has none.
  await fillPayments(ctx.db, session.id, {
    numbers: `(select day, n from generate_series(1, ${DAYS}) day, generate_series(1, day) n where day <> 20) numbers`,
    id: `lpad(day::text, 12, '0') || lpad(n::text, 12, '0')`,
    createdAt: `date_trunc('day', $2::timestamptz) - (${DAYS} - day) * interval '1 day' + n * interval '1 minute'`,
    paidAt: `case when right(id, 12)::integer % 3 > 0 then created_at + interval '1 minute' end`,
    values: [NOW],
  });
  const caller = callerAt(merchant.accountId, NOW);
  const storedDays = async () =>
    (await ctx.db.query<{ days: bigint }>('test_count_days', 'select count(*) as days from activity_days'))[0]?.days;

  await expect(readActivity({ ...ctx, db: failingAfter(ctx.db, 'sum_paid_by_day', 3) }, caller, DAYS)).rejects.toThrow(
    'too slow',
  );
  const stored = await storedDays();
  expect(stored).toBeGreaterThanOrEqual(3n);
  expect(stored).toBeLessThan(BigInt(DAYS - 1));

  const { days } = await readActivity(ctx, caller, DAYS);
  expect(days).toHaveLength(DAYS);
  expect(days.map(({ started }) => started)).toEqual(days.map((_, at) => (at === 19 ? 0 : at + 1)));
  expect(days.map(({ paid }) => paid[0]?.count ?? 0)).toEqual(
    days.map((_, at) => (at === 19 ? 0 : at + 1 - Math.floor((at + 1) / 3))),
  );
  // Today is not over.
  expect(await storedDays()).toBe(BigInt(DAYS - 1));
  expect(await readActivity(ctx, caller, DAYS)).toEqual({ days });
});

test('a day that is not over is summed once up to an hour ago, and what is committed later is counted', async () => {
  await using app = await startApp();
  const { ctx, merchant } = app;
  const session = await merchant.createSession({ amount: '10.00' });
  const payAt = async (...times: string[]) => {
    for (const time of times)
      await fillPayments(ctx.db, session.id, {
        numbers: `generate_series(${time.replace(':', '')}, ${time.replace(':', '')}) n`,
        createdAt: `timestamptz '2026-06-30 ${time}Z'`,
        paidAt: 'created_at',
      });
  };
  const summed: string[] = [];
  const db = { ...ctx.db, query: recordingFrom(ctx.db, summed) };
  const today = async (time: string) => {
    const { days } = await readActivity(
      { ...ctx, db },
      callerAt(merchant.accountId, new Date(`2026-06-30T${time}:00Z`)),
      1,
    );
    return [days[0]?.started, days[0]?.paid[0]?.count, days[0]?.paid[0]?.volume];
  };

  await payAt('03:00', '10:59', '11:30');
  expect(await today('12:00')).toEqual([3, 3, '30.00']);
  await payAt('11:15', '12:30');
  expect(await today('12:05')).toEqual([5, 5, '50.00']);
  expect(await today('13:00')).toEqual([5, 5, '50.00']);
  // A request that began earlier does not put the sum back.
  expect(await today('12:30')).toEqual([5, 5, '50.00']);
  expect(await today('13:05')).toEqual([5, 5, '50.00']);
  expect(summed).toEqual(['00:00', '11:00', '11:00', '11:00', '12:00', '12:00', '12:00']);
});

test('days that a test clock is ahead of real time are summed together, and not stored', async () => {
  await using app = await startApp();
  const { ctx, merchant } = app;
  const realNow = later(NOW, -190 * DAY_MS);
  const session = await merchant.createSession({ amount: '10.00' });
  await fillPayments(ctx.db, session.id, {
    numbers: 'generate_series(0, 190) n',
    createdAt: `date_trunc('day', $2::timestamptz) + n * interval '1 day' + interval '1 minute'`,
    paidAt: 'created_at',
    values: [realNow],
  });
  const asked: string[] = [];
  const query = <Row>(name: string, sql: string, values?: readonly unknown[]) => {
    asked.push(name);
    return ctx.db.query<Row>(name, sql, values);
  };
  const caller = { ...callerAt(merchant.accountId, NOW), realNow };
  // The first day began before real time, so that it is summed apart.
  const { days } = await readActivity({ ...ctx, db: { ...ctx.db, query } }, caller, 191);
  expect(days.map(({ started, paid }) => [started, paid[0]?.count])).toEqual(days.map(() => [1, 1]));
  expect(asked.length).toBeLessThan(80);
  expect(asked).not.toContain('keep_activity_days');
});

test('a payment that was accepted short counts with what arrived, and an overpaid one with its price', async () => {
  await using app = await startApp();
  const { ctx, merchant } = app;
  const outcomes = ['refund_required', 'overpaid'];
  const payments: { id: string; received_amount: string }[] = [];
  for (const outcome of outcomes) {
    const { id } = await merchant.createSession({ amount: '31.00' });
    payments.push(await merchant.get(`/payments/${(await merchant.pay(id, outcome)).payment}`));
  }
  const [short] = payments;
  await merchant.dashboard.post(`/payments/${short?.id}/accept`);

  const {
    days: [today],
  } = await readActivity(ctx, callerAt(merchant.accountId, await ctx.db.now()), 1);

  expect(Number(short?.received_amount)).toBeLessThan(31);
  const volume = (Number(short?.received_amount) + 31).toFixed(2);
  expect(today?.paid).toMatchObject([{ count: 2, volume }]);
});

function callerAt(id: string, now: Date): Caller {
  return {
    id,
    livemode: false,
    via: 'cookie',
    keyId: null,
    scopes: null,
    loginMethod: 'email',
    defaults: {},
    now,
    realNow: now,
  };
}

/** Runs queries and records from when on payments are summed. */
function recordingFrom(db: Database, summed: string[]) {
  return async <Row>(name: string, sql: string, values: readonly unknown[] = []) => {
    if (name === 'sum_paid_by_day') summed.push((values[2] as Date).toISOString().slice(11, 16));
    return db.query<Row>(name, sql, values);
  };
}

/** A database in which a statement fails from its n-th execution on, as one does that reaches its timeout. */
function failingAfter(db: Database, statement: string, times: number): Database {
  let executed = 0;
  return {
    ...db,
    query: async <Row>(name: string, sql: string, values?: readonly unknown[]) => {
      if (name === statement && (executed += 1) > times) throw new Error('too slow');
      return db.query<Row>(name, sql, values);
    },
  };
}
