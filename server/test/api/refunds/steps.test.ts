import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const AN_HOUR = 3_600_000;

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

const hoursBetween = (from: string, to: string) => Math.floor((Date.parse(to) - Date.parse(from)) / AN_HOUR);

test('a timeline lists the steps of a refund by a link: the address stands only where it was confirmed', async () => {
  const { id: session } = await merchant.createSession({ amount: '98.00' });
  const pay = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' };
  const { payment: id } = await merchant.post(`/test_helpers/checkout/sessions/${session}/pay`, pay);
  const refund = await merchant.post(`/payments/${id}/refunds`, { amount: '9.80', link: {} });
  await app.inject('POST', new URL(refund.link.url).pathname, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ address: CUSTOMER }).toString(),
  });
  const steps = async () =>
    (await merchant.get(`/payments/${id}/timeline`)).entries.flatMap(({ type, at, data }: any) =>
      type === 'refund' ? [[data.status, hoursBetween(refund.created_at, at), data.address]] : [],
    );
  expect(await steps()).toEqual([['requested', 0, null]]);
  await merchant.post('/test_helpers/clock/advance', { seconds: 3_600 });
  const confirmed = await app.inject('POST', `/dashboard/api/refunds/${refund.id}/confirm`, {
    token: merchant.dashboard.token,
    headers: { 'service-mode': 'test' },
    body: { to: CUSTOMER, coin_amount: '9.800000' },
  });
  expect(confirmed.body.data.status).toBe('planned');
  await merchant.post('/test_helpers/clock/advance', { seconds: 3_600 });
  await merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: `0x${'33'.repeat(32)}` });
  expect(await steps()).toEqual([
    ['requested', 0, null],
    ['planned', 1, CUSTOMER],
    ['final', 2, CUSTOMER],
  ]);
});

test('a timeline lists the steps of a refund, each at its own time', async () => {
  const { id: session } = await merchant.createSession({ amount: '98.00' });
  const pay = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' };
  const { payment: id } = await merchant.post(`/test_helpers/checkout/sessions/${session}/pay`, pay);
  const plan = (amount: string) => merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, amount });
  const sent = await plan('20.00');
  const cancelled = await plan('5.00');
  await merchant.post('/test_helpers/clock/advance', { seconds: 3_600 });
  await merchant.post(`/refunds/${sent.id}/sent`, { tx_hash: `0x${'11'.repeat(32)}` });
  await merchant.post('/test_helpers/clock/advance', { seconds: 3_600 });
  await merchant.post(`/refunds/${cancelled.id}/cancel`);
  const atOnce = await merchant.post(`/payments/${id}/refunds`, {
    to: CUSTOMER,
    amount: '1.00',
    tx_hash: `0x${'22'.repeat(32)}`,
  });

  const { entries } = await merchant.get(`/payments/${id}/timeline`);
  const steps = entries.flatMap(({ type, at, data }: any) =>
    type === 'refund' ? [[data.refund, data.status, hoursBetween(sent.created_at, at)]] : [],
  );
  expect(steps).toEqual([
    [sent.id, 'planned', 0],
    [cancelled.id, 'planned', 0],
    [sent.id, 'final', 1],
    [cancelled.id, 'cancelled', 2],
    [atOnce.id, 'final', 2],
  ]);
});
