import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parkingJob } from '../../../src/resources/webhooks/delivery/parking.ts';
import { waitingJob } from '../../../src/resources/webhooks/delivery/queue-limits.ts';
import { setCollecting } from '../../../src/resources/webhooks/delivery/parking-store.ts';
import { markEndpointActive } from '../../../src/resources/webhooks/endpoints/endpoint-store.ts';
import { holding } from '../../support/holding.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const signal = new AbortController().signal;
const check = () => waitingJob.run(app.ctx, signal, () => {});
const deliveries = async (endpointId: string, state: string) =>
  (
    await app.ctx.db.query<{ count: number }>(
      'test_deliveries',
      'select count(*)::integer as count from deliveries where endpoint_id = $1 and state = $2',
      [endpointId, state],
    )
  )[0]?.count;
const setStatus = (endpointId: string, status: string) =>
  app.ctx.db.query('test_status', 'update webhook_endpoints set status = $2 where id = $1', [endpointId, status]);

async function withQueue(state: 'parked' | 'pending', count: number): Promise<[Merchant, string]> {
  const merchant = await app.newMerchant();
  const { id } = await merchant.createEndpoint({ url: 'http://127.0.0.1:9/' });
  await app.ctx.db.query(
    'test_queue',
    `
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
    select 'dlv_' || $2 || n, $1, false, $2, 'evt_' || n, 'payment.paid', $3, case $3 when 'pending' then $5::timestamptz end, $5, $5
      from generate_series(1, $4::integer) n`,
    [merchant.accountId, id, state, count, await app.ctx.db.now()],
  );
  return [merchant, id];
}

test('a disabled endpoint with ten thousand parked deliveries collects no more; its events are kept, counted and mailed about once', async () => {
  const [merchant, id] = await withQueue('parked', 10_000);
  await setStatus(id, 'disabled');
  const mails = async () =>
    (await app.ctx.db.query('test_mails', 'select 1 from mails where to_address = $1', [merchant.email])).length;
  await merchant.createWallet();
  const before = await mails();
  await check();
  await check();
  expect(await mails()).toBe(before + 1);

  for (let session = 0; session < 3; session += 1) await merchant.createSession();
  await check();
  expect(await deliveries(id, 'parked')).toBe(10_000);
  expect((await merchant.get('/events')).data).toHaveLength(3);
  expect((await merchant.get('/webhook-endpoints')).data[0].delivery_status).toMatchObject({
    pending: 10_000,
    uncollected: 3,
  });

  // After it is enabled it collects at once, and parked deliveries are due: some with the request, the rest by the
  // worker.
  await merchant.post(`/webhook-endpoints/${id}/enable`);
  expect(await deliveries(id, 'pending')).toBe(1_000);
  await merchant.createSession();
  await parkingJob.run(app.ctx, signal, () => {});
  expect(await deliveries(id, 'pending')).toBe(10_001);
});

test('an endpoint that is enabled while its queue is counted goes on collecting', async () => {
  const [merchant, id] = await withQueue('parked', 10_000);
  await setStatus(id, 'disabled');
  await holding(
    app.ctx.db,
    { sql: 'select from webhook_endpoints where id = $1 for update', id },
    check,
    async (db) => {
      await markEndpointActive(db, { id: merchant.accountId, livemode: false }, id);
    },
  );
  await merchant.createSession();
  expect(await deliveries(id, 'pending')).toBe(1);
});

test.each(['enabled', 'collecting again for want of deliveries'])(
  'what an endpoint missed since the last count is counted once it is %s, and what it collected is not',
  async (how) => {
    const [merchant, id] = await withQueue('parked', 1);
    await setStatus(id, 'disabled');
    const queue = {
      accountId: merchant.accountId,
      endpointId: id,
      status: 'disabled',
      collects: true,
      waiting: 1,
    } as const;
    await setCollecting(app.ctx.db, [queue], await app.ctx.db.now());
    await merchant.createSession();
    if (how === 'enabled') await merchant.post(`/webhook-endpoints/${id}/enable`);
    else await setCollecting(app.ctx.db, [queue], null);
    await merchant.createSession();
    for (let count = 0; count < 2; count += 1) {
      await check();
      expect((await merchant.get('/webhook-endpoints')).data[0].delivery_status.uncollected).toBe(1);
    }
  },
);

test('a deleted endpoint with a long queue answers at once, and the worker cancels the rest', async () => {
  const [merchant, id] = await withQueue('pending', 3_500);
  await merchant.delete(`/webhook-endpoints/${id}`);
  expect(await deliveries(id, 'cancelled')).toBe(1_000);
  await parkingJob.run(app.ctx, signal, () => {});
  expect([await deliveries(id, 'cancelled'), await deliveries(id, 'pending')]).toEqual([3_500, 0]);
});

test('the worker reads no more for ten thousand deleted endpoints than for one', async () => {
  const [merchant, id] = await withQueue('parked', 10);
  const before = await blocksOfStrays();
  await app.ctx.db.query(
    'test_deleted',
    `
    insert into webhook_endpoints (id, account_id, livemode, url, events, secret, status, created_at, deleted_at)
    select id || n, account_id, livemode, url, events, secret, status, created_at, created_at
      from webhook_endpoints, generate_series(1, 10000) n where id = $1`,
    [id],
  );
  await app.ctx.db.query('test_analyze', 'analyze webhook_endpoints, deliveries');
  await merchant.delete(`/webhook-endpoints/${id}`);
  const after = await blocksOfStrays();
  expect(Object.keys(after)).toEqual(['park_strays', 'resume_strays', 'cancel_strays']);
  for (const [name, blocks] of Object.entries(after)) expect(blocks, name).toBeLessThan((before[name] ?? 0) + 100);
});

/** How many blocks PostgreSQL reads for each statement of the worker that looks for strays. */
async function blocksOfStrays(): Promise<Record<string, number>> {
  const query = vi.spyOn(app.ctx.db, 'query');
  await parkingJob.run(app.ctx, signal, () => {});
  const calls = query.mock.calls.filter(([name]) => name.endsWith('_strays'));
  query.mockRestore();
  const read: Record<string, number> = {};
  for (const [name, sql, values] of calls) {
    const [row] = await app.ctx.db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
      `test_explain_${name}_${(explained += 1)}`,
      `explain (analyze, buffers, format json) ${sql}`,
      values,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    read[name] = Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks']);
  }
  return read;
}

let explained = 0;
