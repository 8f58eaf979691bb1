import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { shownNear } from '../../../src/resources/checkout-sessions/near-transfer-store.ts';
import { findState, findVersion } from '../../../src/resources/checkout-sessions/public-session-store.ts';
import { findEarlier } from '../../../src/resources/checkout-sessions/try-store.ts';
import type { Db } from '../../../src/platform/db/db.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(() => app.ctx.db.query('test_clear', 'truncate transfers cascade'));
afterAll(() => app.stop());

// Anyone can send amounts near that of a checkout. Its page shows the first ten.
test('what strangers send near a checkout is read as far as its page shows it, and makes no version longer', async () => {
  const { db } = app.ctx;
  const session = await app.merchant.createSession();
  const paymentId = await paymentOfSession(db, session.id);
  const look = async () => [await findVersion(db, session.id), await findState(db, paymentId)];

  const seen = [await look()];
  await sendNear(paymentId, 1, 9);
  seen.push(await look());
  await sendNear(paymentId, 10, 10);
  seen.push(await look());
  await sendNear(paymentId, 11, 2_000);
  expect(await look()).toEqual(seen.at(-1));
  expect(new Set(seen.map(([version]) => version)).size).toBe(3);
  expect(new Set(seen.map(([, state]) => state)).size).toBe(3);

  await change(2_000);
  expect(await look()).toEqual(seen.at(-1));
  await change(10);
  const [version, state] = await look();
  expect(seen.map(([before]) => before)).not.toContain(version);
  expect(String(version).length + String(state).length).toBeLessThan(300);
  await db.query('test_analyze', 'analyze transfers', []);
  expect(await pagesRead(db, shownNear('t.xmin', `'${paymentId}'`))).toBeLessThanOrEqual(20);
});

test('what strangers send near a checkout is read as far when its order is tried again', async () => {
  const { db } = app.ctx;
  const [old, fresh] = [await app.merchant.createSession(), await app.merchant.createSession()];
  await sendNear(await paymentOfSession(db, old.id), 1, 3_000);
  await db.query('test_retry', 'update checkout_sessions set retry_of = $1 where id = $2', [old.id, fresh.id]);
  await db.query('test_analyze', 'analyze transfers', []);
  let pages = 0;
  const query: Db['query'] = async (_, sql, values) => {
    pages = await pagesRead(db, sql, values);
    return [];
  };
  await findEarlier({ query }, { id: fresh.id, retryOf: old.id });
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThanOrEqual(20);
});

/** Money too small for the payment, with these numbers in the order of arrival. */
async function sendNear(paymentId: string, first: number, last: number): Promise<void> {
  await app.ctx.db.query(
    'test_send_near',
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, to_address, amount_units, block_number,
      block_hash, block_time, status,
                           near_payment_id, reason, first_seen_at)
    select 'tr_near' || lpad(at::text, 8, '0'), false, 'base', 'near ' || at, 0, 'USDC', '0x1', 1, 1, 'b', now(),
      'final', $1, 'too_small', now()
      from generate_series($2::integer, $3::integer) at`,
    [paymentId, first, last],
  );
}

async function change(at: number): Promise<void> {
  await app.ctx.db.query('test_change_near', `update transfers set status = 'dropped' where tx_hash = 'near ' || $1`, [
    String(at),
  ]);
}

/** How many pages the database reads to answer a query. */
async function pagesRead(db: Db, sql: string, values: readonly unknown[] = []): Promise<number> {
  const [row] = await db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    `test_explain_${values.length}`,
    `explain (analyze, buffers, format json) ${sql}`,
    values,
  );
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  return Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks']);
}
