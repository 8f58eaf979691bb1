import { expect, test } from 'vitest';
import { startApp } from '../../support/index.ts';

const CHOICES = 1_000;

test('a customer who chooses a thousand times makes no timeline of all that, and has a receipt', async () => {
  await using app = await startApp();
  const { merchant } = app;
  await merchant.createWallet();
  const session = await merchant.createSession();
  await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'paid' } });
  const { payment } = await merchant.get(`/checkout/sessions/${session.id}`);
  const columns = `payment_id, livemode, kind, asset, network, address, amount_units, required_units, rate, locked_until,
    refund_address, sender, takes_tag`;
  await app.ctx.db.query(
    'test_choices',
    `insert into payment_targets (id, created_at, ${columns})
     select id || '_' || n, created_at - n * interval '1 second', ${columns}
       from payment_targets cross join generate_series(1, $2::integer) n where payment_id = $1`,
    [payment, CHOICES],
  );

  const { entries } = await merchant.get(`/payments/${payment}/timeline`);
  expect(entries.filter(({ type }: { type: string }) => type === 'target').length).toBeLessThan(CHOICES / 4);
  const receipt = await app.inject('GET', `/v1/public/checkout/sessions/${session.id}/receipt`);
  expect(receipt.status).toBe(200);
});
