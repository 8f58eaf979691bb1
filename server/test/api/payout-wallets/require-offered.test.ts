import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const start = async () => (await createApp(app.config, { ...app.ctx })).close();
let changes = 0;
const change = (what: string, id: string) =>
  app.ctx.db.query(`test_change_${(changes += 1)}`, `update payout_wallets set ${what} where id = $1`, [id]);

test('a server does not start without an asset that a wallet in use receives, and names it', async () => {
  const wallet = await app.merchant.live.createWallet({ asset: 'USDC', network: 'polygon' });
  await expect(start()).resolves.toBeUndefined();
  await change(`asset = 'USDT', watched_until = null`, wallet.id);
  await expect(start()).rejects.toThrow(/^EXTRA_ASSETS must name USDT_POLYGON: /);
  await change(`archived_at = now(), is_default = false`, wallet.id);
  await expect(start()).resolves.toBeUndefined();
  // Its last checkout ended lately, so that money may still arrive.
  await change(`watched_until = now() - interval '30 days'`, wallet.id);
  await expect(start()).rejects.toThrow(/USDT_POLYGON/);
  await change(`watched_until = now() - interval '32 days'`, wallet.id);
  await expect(start()).resolves.toBeUndefined();
});

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const CSV = `${CUSTOMER},USDC,polygon,12.50`;

test('nor without one that a payout which is planned or on its way sends', async () => {
  const headers = {
    cookie: `session=${app.merchant.loginToken}`,
    'service-mode': 'live',
    'sec-fetch-site': 'same-origin',
  };
  const { status } = await app.inject('POST', '/dashboard/api/payouts', { headers, body: { import: 'May', csv: CSV } });
  expect(status).toBe(200);
  await expect(start()).resolves.toBeUndefined();
  const set = (what: string) =>
    app.ctx.db.query(`test_change_${(changes += 1)}`, `update payouts set ${what} where asset in ('USDC', 'USDT')`);
  await set(`asset = 'USDT'`);
  await expect(start()).rejects.toThrow(/USDT_POLYGON/);
  await set(`status = 'sent', tx_hash = '0x${'ab'.repeat(32)}'`);
  await expect(start()).rejects.toThrow(/USDT_POLYGON/);
  await set(`status = 'cancelled', due_at = null`);
  await expect(start()).resolves.toBeUndefined();
});

test('nor without one that a refund which is not over sends back', async () => {
  const session = await app.merchant.createSession({ amount: '10.00' });
  const { payment } = await app.merchant.post(`/test-helpers/checkout/sessions/${session.id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'base',
    outcome: 'paid',
  });
  const refund = await app.merchant.post(`/payments/${payment}/refunds`, { to: CUSTOMER, amount: '5.00' });
  const set = (what: string) =>
    app.ctx.db.query(`test_change_${(changes += 1)}`, `update refunds set ${what} where id = $1`, [refund.id]);
  await set(`network = 'polygon', asset = 'USDT'`);
  await expect(start()).resolves.toBeUndefined();
  await set('livemode = true');
  await expect(start()).rejects.toThrow(/USDT_POLYGON/);
  await set(`status = 'cancelled', due_at = null`);
  await expect(start()).resolves.toBeUndefined();
});

test('a quote for a checkout of an asset that this server no longer offers is refused', async () => {
  const wallet = await app.merchant.createWallet({ asset: 'USDC', network: 'arbitrum' });
  const session = await app.merchant.createSession({ amount: '10.00', payout_wallet_id: wallet.id });
  await app.ctx.db.query('test_unoffer_session', `update checkout_sessions set receive_asset = 'USDT' where id = $1`, [
    session.id,
  ]);
  const { status, body } = await app.merchant.request('GET', '/routes/quote', {
    query: { session: session.id, pay_asset: 'USDC', pay_network: 'base' },
  });
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_route', 'session']);
});

test('defaults that name what this server no longer offers accept the rest of them, or else everything', async () => {
  const { merchant } = app;
  const setDefaults = (...keys: string[]) =>
    app.ctx.db.query(
      `test_change_${(changes += 1)}`,
      `update accounts set session_defaults = jsonb_build_object('acceptedAssets', $2::text[]) where id = $1`,
      [merchant.accountId, keys],
    );
  const accepted = async () => ({
    defaults: (await merchant.get('/account')).session_defaults.accepted_assets,
    session: (await merchant.createSession({ amount: '10.00' })).accepted_assets,
  });
  const all = (await accepted()).session;
  await setDefaults('USDC_BNB', 'USDC_BASE');
  expect(await accepted()).toEqual({ defaults: ['USDC_BASE'], session: ['USDC_BASE'] });
  await setDefaults('USDC_BNB');
  expect(await accepted()).toEqual({ defaults: null, session: all });
});
