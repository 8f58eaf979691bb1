import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardTest, startDashboard } from '../../support/dashboard.ts';

let t: DashboardTest;
beforeAll(async () => {
  t = await startDashboard();
});
afterAll(() => t.app.stop());

const STRANGER = '0xde709f2102306220921060314715629080e2fb77';
const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

test('a refund of a conversion is suggested to the address of the order that took the money, not of one made before', async () => {
  const merchant = await t.app.newMerchant();
  const session = await merchant.createSession();
  const ask = (path: string, body: object) =>
    t.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/${path}`, { body });
  for (const refund_address of [STRANGER, CUSTOMER])
    expect(await ask('pay', { pay_asset: 'ETH', pay_network: 'arbitrum', refund_address })).toMatchObject({
      status: 200,
    });
  await ask('test', { action: 'paid' });
  const { payment, status } = await merchant.get(`/checkout/sessions/${session.id}`);
  expect(status).toBe('paid');

  const { suggestions } = await t.dashboard(merchant, `/dashboard/api/payments/${payment}/refund-plan`);
  expect(suggestions.map(({ address }: { address: string }) => address)).toEqual([CUSTOMER]);
});
