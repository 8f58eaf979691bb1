import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_ASSETS } from '../../../src/resources/checkout-sessions/session-input.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const seconds = ({ created_at: from, expires_at: to }: { created_at: string; expires_at: string }) =>
  (Date.parse(to) - Date.parse(from)) / 1000;
const DEFAULTS = { currency: 'AED', expires_in: 7_200, accepted_assets: ['USDC_BASE', 'sol_solana', 'USDC_BASE'] };

test("missing fields of a request get the account's defaults, or the service's", async () => {
  const merchant = await app.newMerchant();
  const plain = await merchant.createSession({ currency: undefined });
  expect([plain.currency, seconds(plain), plain.accepted_assets]).toEqual(['USD', 3_600, ALL_ASSETS]);
  expect((await merchant.dashboard.get('/account')).session_defaults).toEqual({
    currency: null,
    expires_in: null,
    accepted_assets: null,
  });

  const { session_defaults: kept } = await merchant.dashboard.patch('/account', { session_defaults: DEFAULTS });
  expect(kept).toEqual({ currency: 'AED', expires_in: 7_200, accepted_assets: ['USDC_BASE', 'SOL_SOLANA'] });
  const session = await merchant.createSession({ currency: undefined });
  expect([session.currency, seconds(session), session.accepted_assets]).toEqual([
    'AED',
    7_200,
    ['USDC_BASE', 'SOL_SOLANA'],
  ]);

  await merchant.dashboard.patch('/account', {
    session_defaults: { currency: null, expires_in: null, accepted_assets: null },
  });
  const after = await merchant.createSession({ currency: undefined });
  expect([after.currency, seconds(after), after.accepted_assets]).toEqual(['USD', 3_600, ALL_ASSETS]);
});

test("a request's field takes precedence over the account's default", async () => {
  const merchant = await app.newMerchant();
  await merchant.dashboard.patch('/account', { session_defaults: DEFAULTS });
  const said = await merchant.createSession({ currency: 'EUR', expires_in: 60, accepted_assets: ['ETH_BASE'] });
  expect([said.currency, seconds(said), said.accepted_assets]).toEqual(['EUR', 60, ['ETH_BASE']]);
  expect((await merchant.createSession({ accepted_assets_mode: 'all_supported' })).accepted_assets).toEqual(ALL_ASSETS);
});

test('a payment link, which can say neither, opens sessions as the account has them', async () => {
  const merchant = await app.newMerchant();
  await merchant.dashboard.patch('/account', { session_defaults: DEFAULTS });
  const link = await merchant.createLink();
  const { body } = await app.inject('POST', `/v1/public/payment-links/${link.id}/open`, { body: {} });
  const session = await merchant.get(`/checkout/sessions/${body.data.id}`);
  expect([session.currency, seconds(session), session.accepted_assets]).toEqual([
    'USD',
    7_200,
    ['USDC_BASE', 'SOL_SOLANA'],
  ]);
});

test('one of them changes alone', async () => {
  const merchant = await app.newMerchant();
  await merchant.dashboard.patch('/account', { session_defaults: DEFAULTS });
  const { session_defaults: kept } = await merchant.dashboard.patch('/account', {
    session_defaults: { expires_in: 600 },
  });
  expect(kept).toEqual({ currency: 'AED', expires_in: 600, accepted_assets: ['USDC_BASE', 'SOL_SOLANA'] });
});

test.each([
  [{ currency: 'usd' }, 'session_defaults.currency'],
  [{ expires_in: 59 }, 'session_defaults.expires_in'],
  [{ expires_in: 30 * 86_400 + 1 }, 'session_defaults.expires_in'],
  [{ accepted_assets: [] }, 'session_defaults.accepted_assets'],
  [{ accepted_assets: ['DOGE_BASE'] }, 'session_defaults.accepted_assets[0]'],
])('%o is refused', async (defaults, param) => {
  const { status, body } = await app.merchant.dashboard.request('PATCH', '/v1/account', {
    body: { session_defaults: defaults },
  });
  expect([status, body.error.param]).toEqual([400, param]);
});
