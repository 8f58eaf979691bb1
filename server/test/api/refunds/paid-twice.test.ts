import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession, referenceOf, walkOf } from '../../support/payments.ts';
import { take, transferTo } from '../../support/transfers.ts';

type Data = any;

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

/** An order of 24.00 that this much USDC arrived for. */
async function paidWith(amountUnits: bigint): Promise<{ session: string; id: string }> {
  const { id: session } = await merchant.createSession({ amount: '24.00' });
  await app.inject('POST', `/v1/public/checkout/sessions/${session}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  const id = await paymentOfSession(app.ctx.db, session);
  const { receive_address: to } = await merchant.get(`/payments/${id}`);
  const carried = [await referenceOf(app.ctx.db, session)];
  await take(app.ctx, transferTo(to, { amountUnits, carried }), false);
  return { session, id };
}

/** Test mode takes the word for it. */
const giveBack = (id: string, body: object = {}): Promise<Data> =>
  merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, tx_hash: `0x${'12'.repeat(32)}`, ...body });

test.each([
  ['which was four times too much', 112_508_461n, '88.508461', '88.50', '112.50'],
  ['which was exactly twice the price', 48_000_000n, '24.000000', '24.00', '48.00'],
  ['which was twice the price but for less than a cent', 47_999_999n, '23.999999', '23.99', '47.99'],
])(
  'a payment, %s, stays paid with one price back, and is refunded with all of it',
  async (_, units, surplus, back, all) => {
    const { session, id } = await paidWith(units);
    await giveBack(id, { coin_amount: surplus });
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({
      status: 'paid',
      refund: null,
      refunded_amount: back,
    });
    await giveBack(id, { amount: '23.98' });
    expect((await merchant.get(`/payments/${id}`)).status).toBe('paid');
    await giveBack(id);
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'refunded', refund: { amount: all } });
    expect(await walkOf(app.ctx.db, session)).toEqual(['created', 'pending', 'paid', 'refunded']);
  },
);

test('a payment of less than twice its price is refunded once the price is back', async () => {
  const { id } = await paidWith(47_500_000n);
  await giveBack(id, { amount: '23.50' });
  expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', refunded_amount: '23.50' });
  await giveBack(id, { amount: '0.50' });
  expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'refunded', refunded_amount: '24.00' });
});
