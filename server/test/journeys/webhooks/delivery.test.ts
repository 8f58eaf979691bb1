import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { watchConnections } from '../../support/connections.ts';
import { runDueDeliveries } from '../../../src/resources/webhooks/delivery/run-due.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ work: true });
  receiver = await startReceiver();
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

test('a session that is created is announced at once, signed so that the raw body proves it', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: receiver.url });
  const session = await merchant.createSession({ order_id: 'order-7', metadata: { shoe: 'left' } });

  const [got] = await receiver.waitFor(1, ({ event }) => event.data.session === session.id);
  expect(got?.event).toMatchObject({
    type: 'payment.created',
    data: {
      session: session.id,
      order_id: 'order-7',
      metadata: { shoe: 'left' },
      status: 'created',
      sequence: 1,
      tx_hash: null,
      livemode: false,
    },
  });
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(got?.headers['service-signature'])) ?? [];
  expect(v1).toBe(createHmac('sha256', endpoint.secret).update(`${t}.${got?.body}`).digest('hex'));
  expect(Math.abs(Date.now() / 1000 - Number(t))).toBeLessThan(5);
  expect(new Webhook(endpoint.secret).verify(String(got?.body), got?.headers as Record<string, string>)).toMatchObject({
    id: got?.event.id,
  });
});

test('an attempt is on record with its answer, and the event can be read as it was sent', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: receiver.url });
  const session = await merchant.createSession();
  const [got] = await receiver.waitFor(1, ({ event }) => event.data.session === session.id);

  const delivery = await untilDelivered(merchant, endpoint.id);
  expect(delivery).toMatchObject({
    status: 'delivered',
    attempt_count: 1,
    last_response_code: 200,
    event_id: got?.event.id,
    next_attempt_at: null,
  });
  const detail = await merchant.get(`/webhook-deliveries/${delivery.id}`);
  expect(detail.attempts).toMatchObject([
    {
      number: 1,
      kind: 'scheduled',
      outcome: 'delivered',
      response_code: 200,
      response_body: 'answered 200',
      error: null,
    },
  ]);
  expect(await merchant.get(`/events/${got?.event.id}`)).toEqual(got?.event);
});

test('after the answer to a deletion no connection is made any more', async () => {
  const merchant = await app.newMerchant();
  const mine = await startReceiver();
  for (let round = 0; round < 10; round += 1) {
    const endpoint = await merchant.createEndpoint({ url: `${mine.url}/${round}` });
    const creating = Promise.all(Array.from({ length: 20 }, () => merchant.createSession()));
    await mine.waitFor(1, ({ path }) => path.endsWith(`/${round}`));
    await merchant.delete(`/webhook-endpoints/${endpoint.id}`);
    const watch = watchConnections();
    await creating;
    await runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 2_000 });
    watch.stop();
    expect(watch.attempts.filter(({ port }) => port === mine.port)).toEqual([]);
  }
  await mine.close();
});

test("an endpoint that fails does not hold up its account's others", async () => {
  const merchant = await app.newMerchant();
  const failing = await startReceiver();
  failing.answer(() => new Promise<number>(() => {}));
  await merchant.createEndpoint({ url: failing.url });
  await merchant.createEndpoint({ url: `${receiver.url}/other` });
  const sessions = await Promise.all(Array.from({ length: 30 }, () => merchant.createSession()));
  await receiver.waitFor(
    30,
    ({ path, event }) => path.endsWith('/other') && sessions.some(({ id }) => id === event.data.session),
  );
  expect(failing.begun()).toBeLessThanOrEqual(4);
  await failing.close();
});

async function untilDelivered(merchant: TestApp['merchant'], endpointId: string): Promise<any> {
  return expect
    .poll(async () => {
      const { data } = await merchant.get(`/webhook-endpoints/${endpointId}/deliveries`);
      return data[0];
    })
    .toMatchObject({ status: 'delivered' })
    .then(async () => (await merchant.get(`/webhook-endpoints/${endpointId}/deliveries`)).data[0]);
}
