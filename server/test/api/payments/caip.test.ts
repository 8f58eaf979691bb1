import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

const USDC_ON_BASE = 'eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a payment names its network, asset and payee in CAIP, in every answer', async () => {
  const session = await app.merchant.createSession();
  await app.merchant.pay(session.id);
  const { payment: id } = await app.merchant.get(`/checkout/sessions/${session.id}`);
  const payment = await app.merchant.get(`/payments/${id}`);
  expect(payment).toMatchObject({
    network_caip2: 'eip155:8453',
    asset_caip19: USDC_ON_BASE,
    receive_address_caip10: `eip155:8453:${payment.receive_address}`,
  });
  expect((await app.merchant.get('/payments')).data).toEqual([payment]);
  expect(await app.merchant.post(`/payments/${id}/refund`)).toMatchObject({ asset_caip19: USDC_ON_BASE });
});

test('a transfer names its network, asset and both addresses in CAIP', async () => {
  const [transfer] = (await app.merchant.get('/transfers')).data;
  expect(transfer).toMatchObject({
    network_caip2: 'eip155:8453',
    asset_caip19: USDC_ON_BASE,
    from_caip10: `eip155:8453:${transfer.from}`,
    to_caip10: `eip155:8453:${transfer.to}`,
  });
});
