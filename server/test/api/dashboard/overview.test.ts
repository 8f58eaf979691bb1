import { expect, test } from 'vitest';
import { readActivity } from '../../../src/resources/dashboard/overview.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { startApp } from '../../support/index.ts';

const DAYS = 60;
const NOW = new Date('2026-06-30T12:00:00Z');

test('sales of many days are summed in steps, and a request that fails in the middle keeps the days before it', async () => {
  await using app = await startApp();
  const { ctx, merchant } = app;
  const session = await merchant.createSession({ amount: '10.00' });
  // On day n of 60, n payments are started and all but every third are paid. The 20th day has none.
  await ctx.db.query(
    'test_fill_sessions',
    `
    insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
      metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_' || lpad(day::text, 12, '0') || lpad(n::text, 12, '0'), account_id, livemode,
      'pay_' || lpad(day::text, 12, '0') || lpad(n::text, 12, '0'), payout_wallet_id,
           amount_minor, currency, metadata, accepted_assets, sha256((day || ' ' || n)::bytea), receive_asset,
             receive_network, receive_address,
           date_trunc('day', $2::timestamptz) - (${DAYS} - day) * interval '1 day' + n * interval '1 minute', '2027-01-01'
      from checkout_sessions, generate_series(1, ${DAYS}) day, generate_series(1, day) n where id = $1 and day <> 20`,
    [session.id, NOW],
  );
  await ctx.db.query(
    'test_fill_payments',
    `
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      started_at, paid_at, created_at, expires_at, is_announced)
    select payment_id, account_id, livemode, id, 'paid', 3, 'direct', receive_asset, receive_network, created_at,
           case when right(id, 12)::integer % 3 > 0 then created_at + interval '1 minute' end, created_at, expires_at, true
      from checkout_sessions where id <> $1`,
    [session.id],
  );
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
    for (const time of times) {
      const at = new Date(`2026-06-30T${time}:00Z`);
      const id = time.replace(':', '').padStart(24, '0');
      await ctx.db.query(
        'test_copy_session',
        `
        insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
          metadata, accepted_assets, reference,
          receive_asset, receive_network, receive_address, created_at, expires_at)
        select 'cs_' || $2, account_id, livemode, 'pay_' || $2, payout_wallet_id, amount_minor, currency, metadata,
          accepted_assets, sha256($2::bytea),
               receive_asset, receive_network, receive_address, $3, '2027-01-01' from checkout_sessions where id = $1`,
        [session.id, id, at],
      );
      await ctx.db.query(
        'test_copy_payment',
        `
        insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
          started_at, paid_at, created_at, expires_at, is_announced)
        select payment_id, account_id, livemode, id, 'paid', 3, 'direct', receive_asset, receive_network, created_at,
          created_at, created_at, expires_at, true
          from checkout_sessions where id = 'cs_' || $1`,
        [id],
      );
    }
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
