import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, later } from '../../src/platform/time.ts';
import { createMonth, dropMonthsBefore, monthOf, partitionsJob } from '../../src/resources/webhooks/partitions.ts';
import { runDueDeliveries } from '../../src/resources/webhooks/run-due.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startApp, type TestApp } from '../support/index.ts';

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

test('a month past keeping is dropped, but what still waits in it moves on with its event and is delivered', async () => {
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
     where event_id = (select id from events where account_id = $1 and payment_id = (select payment_id from checkout_sessions where id = $2))`,
    [merchant.accountId, parked.id],
  );

  expect(await dropMonthsBefore(app.ctx.db, now, 90)).toEqual([old.name]);
  expect(await partitions('events')).not.toContain(`events_${old.name}`);
  expect(
    (await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data
      .map(({ status }: { status: string }) => status)
      .sort(),
  ).toEqual(['parked', 'pending']);
  expect(
    (await merchant.get('/events')).data.map((event: { data: { session: string } }) => event.data.session).sort(),
  ).toEqual([pending.id, parked.id].sort());

  await runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 5_000 });
  const sent = receiver.received.filter(({ path }) => path === '/hook/old').map(({ event }) => event.data.session);
  expect(sent).toEqual([delivered.id, pending.id]);
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
