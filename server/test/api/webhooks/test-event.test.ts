import { EVENT_TYPES } from '@quittance/contract';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test.each(EVENT_TYPES)('a sample of %s is sent at once, signed, and its status answered', async (event) => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/${event}`, events: ['payment.paid'] });
  expect(await merchant.post('/webhooks/test', { endpoint_id: endpoint.id, event })).toEqual({
    delivered: true,
    response_code: 200,
  });

  const got = receiver.received.find(({ path }) => path.endsWith(event));
  expect(got?.event).toMatchObject({
    type: event,
    data: { status: event.split('.')[1], livemode: false, amount: '49.00' },
  });
  expect(new Webhook(endpoint.secret).verify(String(got?.body), got?.headers as Record<string, string>)).toBeTruthy();
  expect((await merchant.get('/events')).data).toEqual([]);
  expect((await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data).toEqual([]);
});

test('the path of the other calls about endpoints answers too', async () => {
  const endpoint = await app.merchant.createEndpoint({ url: receiver.url });
  expect(
    await app.merchant.post('/webhook-endpoints/test', { endpoint_id: endpoint.id, event: 'payment.paid' }),
  ).toEqual({ delivered: true, response_code: 200 });
});

test.each([204, 302, 404, 500])("the endpoint's answer is returned: %i", async (status) => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: receiver.url });
  receiver.answer(status);
  expect(await merchant.post('/webhooks/test', { endpoint_id: endpoint.id, event: 'payment.paid' })).toEqual({
    delivered: status === 204,
    response_code: status,
  });
  receiver.answer(200);
});

test('no HTTP answer is delivered false with response_code 0', async () => {
  const endpoint = await app.merchant.createEndpoint({ url: 'http://127.0.0.1:1/' });
  expect(await app.merchant.post('/webhooks/test', { endpoint_id: endpoint.id, event: 'payment.paid' })).toEqual({
    delivered: false,
    response_code: 0,
  });
});

test('an unknown endpoint answers 404, of whatever form or account', async () => {
  const foreign = await (await app.newMerchant()).createEndpoint();
  for (const id of [foreign.id, `we_${'0'.repeat(24)}`, 'nonsense']) {
    await expect(app.merchant.post('/webhooks/test', { endpoint_id: id, event: 'payment.paid' })).rejects.toMatchObject(
      { status: 404, code: 'not_found', param: 'endpoint_id' },
    );
  }
});

test.each([['checkout_session.created'], ['payment.lost'], [7], [undefined], [null]])(
  'event %j answers 400 invalid_webhook_endpoint',
  async (event) => {
    const endpoint = await (await app.newMerchant()).createEndpoint();
    await expect(app.merchant.post('/webhooks/test', { endpoint_id: endpoint.id, event })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_webhook_endpoint',
      param: 'event',
    });
  },
);

test('the test after sixty in a row answers 429: samples cannot flood a stranger', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: receiver.url });
  const statuses = await Promise.all(
    Array.from(
      { length: 61 },
      async () =>
        (
          await merchant.request('POST', '/webhooks/test', {
            body: { endpoint_id: endpoint.id, event: 'payment.paid' },
          })
        ).status,
    ),
  );
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
});
