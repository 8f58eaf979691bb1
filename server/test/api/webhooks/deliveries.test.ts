import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/platform/time.ts';
import { runDueDeliveries } from '../../../src/resources/webhooks/delivery/run-due.ts';
import { shiftDeliveries } from '../../../src/resources/webhooks/delivery/lease-store.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let receiver: Receiver;
let merchant: Merchant;
let endpoint: any;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
});
beforeEach(async () => {
  merchant = await app.newMerchant();
  endpoint = await merchant.createEndpoint({ url: `${receiver.url}/${merchant.accountId}` });
  receiver.answer(200);
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

describe('GET /v1/webhook-endpoints/{id}/deliveries', () => {
  test('lists the deliveries of the endpoint, newest first, in pages and by status', async () => {
    for (let made = 0; made < 3; made += 1) await merchant.createSession();
    receiver.answer(({ event }) => (event.data.amount === '49.00' ? 200 : 500));
    await merchant.createSession({ amount: '1.00' });
    await runDue();

    const first = await deliveries({ limit: 3 });
    const second = await deliveries({ limit: 3, cursor: first.pagination.cursor });
    const all = [...first.data, ...second.data];
    expect(all.map(({ status }) => status)).toEqual(['pending', 'delivered', 'delivered', 'delivered']);
    expect(all[0]).toMatchObject({
      object: 'webhook_delivery',
      endpoint_id: endpoint.id,
      event_type: 'payment.created',
      attempt_count: 1,
      last_response_code: 500,
    });
    expect(new Date(all[0].next_attempt_at).getTime()).toBeGreaterThan(Date.now() + 50_000);
    expect((await deliveries({ status: 'delivered' })).data).toHaveLength(3);
    expect((await merchant.get('/webhook-endpoints')).data[0].delivery_status).toMatchObject({
      pending: 1,
      last_outcome: expect.any(String),
      last_response_code: expect.any(Number),
      last_error: null,
      recent_delivered: 3,
      recent_failed: 1,
      average_duration_ms: expect.any(Number),
    });
  });

  test('an unknown status answers 400, a missing endpoint 404', async () => {
    await expect(deliveries({ status: 'lost' })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_list_request',
      param: 'status',
    });
    await expect(merchant.get(`/webhook-endpoints/we_${'0'.repeat(24)}/deliveries`)).rejects.toMatchObject({
      status: 404,
    });
    await expect((await app.newMerchant()).get(`/webhook-endpoints/${endpoint.id}/deliveries`)).rejects.toMatchObject({
      status: 404,
    });
  });

  test("another endpoint's delivery and another list's cursor are not positions in this one", async () => {
    await merchant.createSession();
    await merchant.createSession();
    const other = await merchant.createEndpoint({ url: receiver.url });
    const [foreign] = (await deliveries({})).data;
    await expect(
      merchant.get(`/webhook-endpoints/${other.id}/deliveries`, { cursor: foreign.id }),
    ).rejects.toMatchObject({ status: 400, param: 'cursor' });
    const { pagination } = await deliveries({ limit: 1 });
    await expect(
      merchant.get(`/webhook-endpoints/${other.id}/deliveries`, { cursor: pagination.cursor }),
    ).rejects.toMatchObject({ status: 400, param: 'cursor' });
  });
});

describe('GET /v1/webhook-deliveries/{id}', () => {
  test('shows every attempt with its answer, the beginning of it cleaned of control characters', async () => {
    receiver.answer(503);
    await merchant.createSession();
    await runDue();
    await advance(HOUR_MS);
    receiver.answer(200);
    await advance(HOUR_MS);

    const [delivery] = (await deliveries({})).data;
    const detail = await merchant.get(`/webhook-deliveries/${delivery.id}`);
    expect(detail).toMatchObject({ ...delivery, status: 'delivered', attempt_count: 3 });
    expect(
      detail.attempts.map(({ outcome, response_code }: { outcome: string; response_code: number }) => [
        outcome,
        response_code,
      ]),
    ).toEqual([
      ['failed', 503],
      ['failed', 503],
      ['delivered', 200],
    ]);
    expect(detail.attempts[0]).toMatchObject({
      number: 1,
      kind: 'scheduled',
      response_body: 'answered 503',
      error: null,
      duration_ms: expect.any(Number),
    });
  });

  test("the reason if there was no answer; and another account's is a 404", async () => {
    const closed = await merchant.createEndpoint({ url: 'http://127.0.0.1:1/' });
    await merchant.createSession();
    await runDue();
    const [delivery] = (await merchant.get(`/webhook-endpoints/${closed.id}/deliveries`)).data;
    expect((await merchant.get(`/webhook-deliveries/${delivery.id}`)).attempts).toMatchObject([
      { response_code: null, response_body: null, error: 'connection_refused' },
    ]);
    expect(delivery).toMatchObject({ last_response_code: null, last_error: 'connection_refused' });
    const [health] = (await merchant.get('/webhook-endpoints')).data.filter(({ id }: any) => id === closed.id);
    // How fast a connection is refused says nothing about how fast the endpoint answers.
    expect(health.delivery_status).toMatchObject({ last_error: 'connection_refused', average_duration_ms: null });
    await expect((await app.newMerchant()).get(`/webhook-deliveries/${delivery.id}`)).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
    });
    await expect(merchant.live.get(`/webhook-deliveries/${delivery.id}`)).rejects.toMatchObject({ status: 404 });
  });
});

describe('POST /v1/webhook-deliveries/{id}/redeliver', () => {
  test('a delivered event is sent once more, the same bytes, outside the count', async () => {
    await merchant.createSession();
    await runDue();
    const [delivery] = (await deliveries({})).data;
    expect(await merchant.post(`/webhook-deliveries/${delivery.id}/redeliver`)).toMatchObject({
      id: delivery.id,
      status: 'pending',
      attempt_count: 1,
    });
    await runDue();

    const [first, second] = mine();
    expect(second?.body).toEqual(first?.body);
    const detail = await merchant.get(`/webhook-deliveries/${delivery.id}`);
    expect(detail).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(detail.attempts.map(({ kind }: { kind: string }) => kind)).toEqual(['scheduled', 'manual']);
  });

  test('one that fails goes back to how it stood, its schedule unharmed', async () => {
    receiver.answer(500);
    await merchant.createSession();
    await runDue();
    const [before] = (await deliveries({})).data;
    await merchant.post(`/webhook-deliveries/${before.id}/redeliver`);
    await runDue();
    expect(mine()).toHaveLength(2);
    expect(await merchant.get(`/webhook-deliveries/${before.id}`)).toMatchObject({
      status: 'pending',
      attempt_count: 1,
      next_attempt_at: before.next_attempt_at,
    });
  });

  test('of a disabled or deleted endpoint it answers 400, of a missing delivery 404', async () => {
    await merchant.createSession();
    await runDue();
    const [delivery] = (await deliveries({})).data;
    await app.ctx.db.query('disable_for_test', `update webhook_endpoints set status = 'disabled' where id = $1`, [
      endpoint.id,
    ]);
    await expect(merchant.post(`/webhook-deliveries/${delivery.id}/redeliver`)).rejects.toMatchObject({ status: 400 });
    await merchant.delete(`/webhook-endpoints/${endpoint.id}`);
    await expect(merchant.post(`/webhook-deliveries/${delivery.id}/redeliver`)).rejects.toMatchObject({ status: 400 });
    await expect(merchant.post(`/webhook-deliveries/dlv_${'0'.repeat(24)}/redeliver`)).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('POST /v1/webhook-endpoints/{id}/redeliver-failed', () => {
  test('sends every failed delivery since then again', async () => {
    receiver.answer(500);
    const since = new Date(Date.now() - 1000).toISOString();
    await merchant.createSession();
    await merchant.createSession();
    await runDue();
    for (let attempt = 2; attempt <= 6; attempt += 1) await advance(7 * HOUR_MS);
    receiver.answer(200);
    await expect(merchant.post(`/webhook-endpoints/${endpoint.id}/redeliver-failed`, { since })).rejects.toMatchObject({
      status: 400,
    });
    await merchant.post(`/webhook-endpoints/${endpoint.id}/enable`);

    expect(
      await merchant.post(`/webhook-endpoints/${endpoint.id}/redeliver-failed`, { since: '2999-01-01T00:00:00Z' }),
    ).toEqual({ redelivered: 0 });
    const { redelivered } = await merchant.post(`/webhook-endpoints/${endpoint.id}/redeliver-failed`, { since });
    await runDue();
    const { data } = await deliveries({});
    expect(redelivered).toBeGreaterThanOrEqual(1);
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered']);
  });

  test.each([undefined, 'yesterday', 7, '2026-13-01T00:00:00Z'])('since %j answers 400', async (since) => {
    await expect(merchant.post(`/webhook-endpoints/${endpoint.id}/redeliver-failed`, { since })).rejects.toMatchObject({
      status: 400,
      param: 'since',
    });
  });
});

describe('DELETE /v1/webhook-endpoints/{id}', () => {
  test('cancels what was waiting, and nothing more is sent', async () => {
    await merchant.createSession();
    await merchant.delete(`/webhook-endpoints/${endpoint.id}`);
    await runDue();
    await merchant.createSession();
    await runDue();
    expect(mine()).toEqual([]);
    const states = await app.ctx.db.query<{ state: string }>(
      'states_for_test',
      `select state from deliveries where endpoint_id = $1`,
      [endpoint.id],
    );
    expect(states.map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('ends a delivery that is on its way', async () => {
    let asked: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    receiver.answer(() => {
      asked();
      return new Promise<number>(() => {});
    });
    await merchant.createSession();
    const running = runDue();
    await isAsked;
    await merchant.delete(`/webhook-endpoints/${endpoint.id}`);
    await running;
    const [delivery] = await app.ctx.db.query<{ state: string; attempts: number }>(
      'delivery_for_test',
      `select state, attempts from deliveries where endpoint_id = $1`,
      [endpoint.id],
    );
    expect(delivery).toEqual({ state: 'cancelled', attempts: 0 });
  });
});

function deliveries(query: Record<string, string | number>) {
  return merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`, query);
}

function mine() {
  return receiver.received.filter(({ path }) => path.endsWith(merchant.accountId));
}

async function advance(ms: number): Promise<void> {
  await shiftDeliveries(app.ctx.db, merchant.accountId, ms);
  await runDue();
}

function runDue(): Promise<void> {
  return runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 12_000 });
}
