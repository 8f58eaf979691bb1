import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { dropMonthsBefore, partitionsJob } from '../../../src/resources/webhooks/events/partitions.ts';
import { createMonth, monthOf, TABLES } from '../../../src/resources/webhooks/events/partition-store.ts';
import { runDueDeliveries } from '../../../src/resources/webhooks/delivery/run-due.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

const wake = () => {};

test('months are made ahead, while sessions are being created, and take what the default partition had caught', async () => {
  const merchant = await app.newMerchant();
  await merchant.createEndpoint({ url: receiver.url });
  await merchant.createSession();

  const creating = Promise.all(Array.from({ length: 60 }, () => merchant.createSession()));
  await partitionsJob.run(app.ctx, AbortSignal.timeout(10_000), wake);
  await creating;
  await partitionsJob.run(app.ctx, AbortSignal.timeout(10_000), wake);

  const now = await app.ctx.db.now();
  const names = await partitions('deliveries');
  expect(names).toEqual(
    ['deliveries_default', ...[0, 1, 2].map((ahead) => `deliveries_${monthOf(now, ahead).name}`)].sort(),
  );
  const [caught] = await app.ctx.db.query<{ count: bigint }>(
    'caught',
    `select count(*) as count from deliveries_default`,
  );
  expect(caught?.count).toBe(0n);
  expect((await merchant.get('/events', { limit: 100 })).data).toHaveLength(61);
});

test('a month past retention is dropped with what is parked in it and its merchant is notified once; what is pending moves on with its event and is delivered', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/old` });
  const delivered = await merchant.createSession();
  await runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 5_000 });
  const pending = await merchant.createSession();
  const parked = await merchant.createSession();
  const now = await app.ctx.db.now();
  const old = monthOf(later(now, -200 * DAY_MS));
  await createMonth(app.ctx.db, old);
  await app.ctx.db.query('age_events', `update events set recorded_at = $2 where account_id = $1`, [
    merchant.accountId,
    later(old.from, DAY_MS),
  ]);
  await app.ctx.db.query(
    'age_deliveries',
    `update deliveries set recorded_at = $2, event_recorded_at = $2 where account_id = $1`,
    [merchant.accountId, later(old.from, DAY_MS)],
  );
  await app.ctx.db.query(
    'park_for_test',
    `
    update deliveries set state = 'parked', due_at = null
     where event_id = (select id from events where account_id = $1
       and object_id = (select payment_id from checkout_sessions where id = $2))`,
    [merchant.accountId, parked.id],
  );

  // In addition to the mail about the new wallet.
  const mails = () => app.ctx.db.query('mails_for_test', 'select 1 from mails where to_address = $1', [merchant.email]);
  const before = (await mails()).length;

  expect(await dropMonthsBefore(app.ctx, now, 90)).toEqual([old.name]);
  expect(await partitions('events')).not.toContain(`events_${old.name}`);
  expect(
    (await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data.map(
      ({ status }: { status: string }) => status,
    ),
  ).toEqual(['pending']);
  expect(
    (await merchant.get('/events')).data.map((event: { data: { session: string } }) => event.data.session),
  ).toEqual([pending.id]);
  expect(await mails()).toHaveLength(before + 1);
  await dropMonthsBefore(app.ctx, now, 90);
  expect(await mails()).toHaveLength(before + 1);

  await runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 5_000 });
  const sent = receiver.received.filter(({ path }) => path === '/hook/old').map(({ event }) => event.data.session);
  expect(sent).toEqual([delivered.id, pending.id]);
});

test.each(TABLES)(
  'a month whose %s all stayed in the default partition is dropped, and so is the month after it',
  async (table) => {
    const { db } = app.ctx;
    const now = await db.now();
    const months = [-500, -460].map((days) => monthOf(later(now, days * DAY_MS)));
    for (const month of months) await createMonth(db, month);
    await db.query(`test_drop_${table}`, `drop table ${table}_${months[0]?.name}`);
    expect((await dropMonthsBefore(app.ctx, now, 90)).toSorted()).toEqual(months.map(({ name }) => name));
    for (const other of TABLES)
      for (const { name } of months) expect(await partitions(other)).not.toContain(`${other}_${name}`);
  },
);

test('a backlog of many batches moves on with its events, and what the default partition has caught is deleted', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/many` });
  const now = await app.ctx.db.now();
  const old = later(monthOf(later(now, -300 * DAY_MS)).from, DAY_MS);
  await app.ctx.db.query(
    'many_events',
    `insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
     select 'evt_many' || n, $1, false, 'pay_many', n, 'payment.paid', '{}', $2, $2 from generate_series(1, 3200) n`,
    [merchant.accountId, old],
  );
  await app.ctx.db.query(
    'many_deliveries',
    `insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
     select 'dlv_many' || n || '_' || copy, $1, false, $2, 'evt_many' || n, 'payment.paid', state, case state
       when 'pending' then $3::timestamptz end, $3, $3
       from generate_series(1, 3200) n, (values (1, 'pending'), (2, 'pending'), (3, 'parked'), (4, 'delivered')) as d (copy, state)
      where n <= 1200 or state <> 'pending'`,
    [merchant.accountId, endpoint.id, old],
  );
  await dropMonthsBefore(app.ctx, now, 90);
  const [left] = await app.ctx.db.query(
    'many_left',
    `
    select count(*)::integer as deliveries, count(*) filter (where d.recorded_at = $2
      and e.recorded_at = d.event_recorded_at)::integer as moved,
           (select count(*)::integer from events where object_id = 'pay_many') as events
      from deliveries d left join events e on e.id = d.event_id where d.endpoint_id = $1`,
    [endpoint.id, now],
  );
  expect(left).toEqual({ deliveries: 2400, moved: 2400, events: 1200 });
});

async function partitions(table: string): Promise<string[]> {
  const rows = await app.ctx.db.query<{ name: string }>(
    'partitions_for_test',
    `
    select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name).sort();
}
