import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a test merchant creates wallets, sessions, links and endpoints through the real API', async () => {
  const { merchant } = app;
  const session = await merchant.createSession({ amount: '12.50' }, { idempotencyKey: 'order-1' });
  expect(session).toMatchObject({ object: 'checkout_session', amount: '12.50', status: 'created', livemode: false });
  expect(await merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({ id: session.id });
  expect(await merchant.createLink()).toMatchObject({ status: 'active' });
  expect((await merchant.get('/payout-wallets')).data).toHaveLength(1);
});

test('a refused request is thrown with its status, code and param', async () => {
  await expect(app.merchant.createSession({ amount: '1e3' })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_checkout_session',
    param: 'amount',
  });
});

test('the same account acts in live mode and by its login token', async () => {
  const other = await app.newMerchant({ mode: 'live' });
  expect(await other.createWallet()).toMatchObject({ livemode: true });
  expect((await other.dashboard.get('/payout-wallets')).data).toHaveLength(1);
  expect((await other.test.get('/payout-wallets')).data).toHaveLength(0);
});
