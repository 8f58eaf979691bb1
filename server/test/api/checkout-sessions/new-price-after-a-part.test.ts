import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';
import { referenceOf } from '../../support/payments.ts';
import { take, transferTo } from '../../support/transfers.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const ETHER = { network: 'ethereum', asset: 'ETH' } as const;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test.each([
  ['fallen', '0.9'],
  ['risen', '1.1'],
])('after a part, the rest at a new price is an exact amount again, which needs no tag: %s', async (_, before) => {
  const merchant = app.merchant.live;
  const wallet = await merchant.createWallet({ ...ETHER, address: WALLET });
  const { id } = await merchant.createSession({ payout_wallet_id: wallet.id, amount: '100.00' });
  const choose = async () =>
    (
      await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
        body: { pay_asset: 'ETH', pay_network: 'ethereum' },
      })
    ).body.data.payment;
  const { amount } = await choose();
  await take(
    app.ctx,
    transferTo(WALLET, {
      ...ETHER,
      amountUnits: parseUnits(amount, 18) / 2n,
      carried: [await referenceOf(app.ctx.db, id)],
    }),
  );

  // As if the part was sent at another price, whose lock has ended.
  await app.ctx.db.query(
    'test_other_price',
    `update payment_targets t
        set required_units = round(t.required_units * $2),
            amount_units = greatest(t.amount_units, round(t.required_units * $2)), created_at = t.created_at - interval '20 minutes',
            locked_until = t.created_at - interval '5 minutes'
       from payments p where p.id = t.payment_id and p.session_id = $1`,
    [id, before],
  );
  await app.ctx.db.query(
    'test_sent_earlier',
    `update transfers t set block_time = t.block_time - interval '10 minutes'
       from payments p where p.id = t.payment_id and p.session_id = $1`,
    [id],
  );
  const again = await choose();
  await take(app.ctx, transferTo(WALLET, { ...ETHER, amountUnits: parseUnits(again.amount_due, 18) }));
  expect(await merchant.get(`/checkout/sessions/${id}`)).toMatchObject({ status: 'paid' });
});
