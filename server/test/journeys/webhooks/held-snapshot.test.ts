import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/platform/db/db.ts';
import { later } from '../../../src/platform/time.ts';
import type { LeasedDelivery } from '../../../src/resources/webhooks/delivery/delivery.ts';
import type { LeaseLimits } from '../../../src/resources/webhooks/delivery/lease-store.ts';
import { recordAttempts } from '../../../src/resources/webhooks/delivery/recorder.ts';
import { WaitingEndpoints } from '../../../src/resources/webhooks/delivery/waiting.ts';
import { createMonth, monthOf } from '../../../src/resources/webhooks/events/partition-store.ts';
import { startApp, type TestApp } from '../../support/index.ts';

// A backup holds a snapshot for as long as it lasts. PostgreSQL then keeps what the queue leaves behind, and a look that
// reads it gets slower with every delivery.

const ENDPOINTS = 8;
const LIMITS = { healthy: 400, probation: 0, slow: 0, busyEndpoints: [], busyAccounts: [] };

let app: TestApp;
let holder: pg.Client;
/** What explains the statement that leases instead of running it, while it is set. */
let explain: ((sql: string, values: unknown[]) => Promise<void>) | null = null;
let worker: WaitingEndpoints;
let endpointIds: string[];
let start: Date;
/** How many deliveries were queued, each due a millisecond after the one before. */
let queued = 0;

beforeAll(async () => {
  app = await startApp();
  const created = [];
  for (let index = 0; index < ENDPOINTS; index += 1)
    created.push(await app.merchant.createEndpoint({ url: `http://127.0.0.1:9/${index}` }));
  endpointIds = created.map(({ id }) => id as string);
  await app.ctx.db.query('test_heal', `update webhook_endpoints set lane = 'healthy'`, []);
  start = await app.ctx.db.now();
  await createMonth(app.ctx.db, monthOf(start));
  const db = {
    ...app.ctx.db,
    async query(name: string, sql: string, values: unknown[]) {
      if (name !== 'lease_deliveries' || !explain) return app.ctx.db.query(name, sql, values);
      await explain(sql, values);
      return [];
    },
  } as Database;
  // Its clock stands still, so that it reads all queues from their beginning once.
  worker = new WaitingEndpoints({ ...app.ctx, db }, 'worker', { mono: () => 0 });
  holder = new pg.Client({ connectionString: app.config.databaseUrl as string });
  await holder.connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query('select 1');
});
afterAll(async () => {
  await holder.end();
  await app.stop();
});

test('a lease reads no more after ten thousand deliveries than after two thousand, of a queue that is often empty', async () => {
  const deliver = async (count: number) => {
    for (let done = 0; done < count; done += 400) {
      await queue(400);
      await drain(400);
    }
  };
  await deliver(2_000);
  const early = await buffersOfLease();
  await drain(ENDPOINTS);
  await deliver(8_000);
  expect(await buffersOfLease()).toBeLessThan(1.25 * early);
  await drain(ENDPOINTS);
});

test('a lease reads no more after ten thousand deliveries than after two thousand, of a queue that is never empty', async () => {
  await queue(11_000);
  await drain(2_000);
  const early = await buffersOfLease();
  await drain(8_000);
  expect(await buffersOfLease()).toBeLessThan(1.25 * early);
});

test('a lease of few reads as much of a queue of four thousand as of one of a thousand, once empty partitions are analyzed', async () => {
  const few = { ...LIMITS, healthy: ENDPOINTS };
  await queue(1_000);
  await app.ctx.db.query('test_analyze', 'analyze deliveries', []);
  // The first look finds the new ones.
  await buffersOfLease(few);
  const short = await buffersOfLease(few);
  await queue(3_000);
  await buffersOfLease(few);
  expect(await buffersOfLease(few)).toBeLessThan(1.25 * short);
});

/** Leases and delivers at least this many. */
async function drain(count: number): Promise<void> {
  for (let done = 0; done < count; ) {
    const leased = await lease();
    expect(leased.length).toBeGreaterThan(0);
    done += leased.length;
    const now = clock();
    const answer = { status: 200, body: '', error: null, durationMs: 1 };
    await recordAttempts(
      app.ctx,
      leased.map((delivery) => ({ delivery, startedAt: now, endedAt: now, answer })),
    );
  }
}

const clock = () => later(start, queued);

const lease = (limits: LeaseLimits = LIMITS): Promise<LeasedDelivery[]> => worker.lease(clock, limits);

async function queue(count: number): Promise<void> {
  await app.ctx.db.query(
    'test_queue',
    `
    with event as (
      insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
      select 'evt_' || n, $1, false, 'pay_' || n, 1, 'payment.paid', '{}', $3::timestamptz + n * interval '1 millisecond',
             $3::timestamptz + n * interval '1 millisecond'
        from generate_series($4::integer + 1, $4::integer + $5::integer) n
      returning id, recorded_at
    )
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
    select 'dlv_' || id, $1, false, ($2::text[])[1 + substr(id, 5)::integer % ${ENDPOINTS}], id, 'payment.paid',
      'pending', recorded_at, recorded_at, recorded_at
      from event`,
    [app.merchant.accountId, endpointIds, start, queued, count],
  );
  queued += count;
}

/** What the statement that leases reads while a delivery, or more, waits at each endpoint. */
async function buffersOfLease(limits?: LeaseLimits): Promise<number> {
  await queue(ENDPOINTS);
  let buffers = 0;
  const client = new pg.Client({ connectionString: app.config.databaseUrl as string });
  await client.connect();
  try {
    explain = async (sql, values) => {
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${sql}`, values);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    };
    await lease(limits);
  } finally {
    explain = null;
    await client.end();
  }
  await app.ctx.db.query('test_release', 'delete from delivery_leases', []);
  return buffers;
}
