import { expect, test } from 'vitest';
import { startApp } from '../../support/index.ts';

const PAYMENTS = 2_500;

test('an export of several pages holds every payment once, newest first', async () => {
  await using app = await startApp();
  const { merchant } = app;
  const session = await merchant.createSession();
  await app.ctx.db.query(
    'test_fill_sessions',
    `
    insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_' || lpad(n::text, 24, '0'), account_id, livemode, 'pay_' || lpad(n::text, 24, '0'), payout_wallet_id, amount_minor, currency, metadata, accepted_assets,
           sha256(n::text::bytea), receive_asset, receive_network, receive_address, timestamptz '2026-01-01' + (n / 3) * interval '1 second', '2027-01-01'
      from checkout_sessions, generate_series(1, $2::integer) n where id = $1`,
    [session.id, PAYMENTS],
  );
  await app.ctx.db.query(
    'test_fill_payments',
    `
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network, started_at, created_at, expires_at, is_announced)
    select payment_id, account_id, livemode, id, 'paid', 3, case when right(id, 1) = '7' then 'routed' else 'direct' end, receive_asset, receive_network, created_at, created_at, expires_at, true
      from checkout_sessions where id <> $1`,
    [session.id],
  );

  const { raw } = await app.inject('GET', '/dashboard/api/payments.csv?mode=test', {
    headers: { cookie: `session=${merchant.loginToken}` },
  });

  const ids = raw
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0] ?? '');
  expect(ids).toEqual(Array.from({ length: PAYMENTS }, (_, at) => `pay_${String(PAYMENTS - at).padStart(24, '0')}`));
});
