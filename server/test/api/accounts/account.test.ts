import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = await app.newMerchant();
});
afterAll(() => app.stop());

const get = (token: string, headers?: Record<string, string>) => app.inject('GET', '/v1/account', { token, headers });
const patch = (body: unknown, token = merchant.loginToken) => app.inject('PATCH', '/v1/account', { token, body });

describe('GET /v1/account', () => {
  test('200: a new account, the same by key and by login', async () => {
    const fresh = await app.newMerchant();
    const answer = await get(fresh.liveKey);

    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      id: fresh.accountId,
      object: 'account',
      livemode: true,
      login_method: 'email',
      email: fresh.email,
      login_wallet: null,
      name: null,
      logo_url: null,
      brand: { accent_color: null, background_color: null, theme: null, corners: null },
      support_email: null,
      support_url: null,
      receipt_details: null,
      frame_parents: [],
      tolerance_bps: null,
      wallets_by_login_only: false,
      confirm_key_wallets: false,
      email_notifications: { paid: true, needs_decision: true, unattributed: false },
      email_receipts: false,
      session_defaults: { currency: null, expires_in: null, accepted_assets: null },
      test_clock: { now: expect.any(String), offset_seconds: 0 },
      created_at: expect.any(String),
    });
    const { test_clock: _clock, ...rest } = (await get(fresh.loginToken)).body.data;
    expect(answer.body.data).toMatchObject(rest);
    expect((await get(fresh.testKey)).body.data.livemode).toBe(false);
  });

  test('200: the test clock, as far ahead as it was moved', async () => {
    const fresh = await app.newMerchant();
    await app.ctx.db.query('move_clock', `update accounts set test_clock_offset_ms = 90500 where id = $1`, [
      fresh.accountId,
    ]);
    const { test_clock: clock } = (await get(fresh.testKey)).body.data;
    expect(clock.offset_seconds).toBe(90);
    expect(new Date(clock.now).getTime() - (await app.ctx.db.now()).getTime()).toBeGreaterThan(85_000);
  });

  test.each([
    ['no credential', undefined, 'authentication_required'],
    ['an unknown key', 'sk_live_0000000000000000000000000000000000000', 'invalid_credentials'],
    ['a word', 'password', 'invalid_credentials'],
    ['an unknown login token', `ses_${'a'.repeat(43)}`, 'invalid_credentials'],
  ])('401: %s', async (_what, token, code) => {
    expect(await app.inject('GET', '/v1/account', { token })).toMatchObject({ status: 401, body: { error: { code } } });
  });
});

describe('PATCH /v1/account', () => {
  test('200: what is sent changes, what is left out stays, null clears', async () => {
    const all = {
      name: 'Fern & Fog',
      logo_url: 'https://shop.example.com/logo.svg',
      brand: { accent_color: '#0b6e4f', background_color: '#FFFFFF', theme: 'dark', corners: 'soft' },
      support_email: 'Help@Shop.example.com',
      support_url: 'https://shop.example.com/help?from=pay',
      receipt_details: 'Fern & Fog GmbH\nVAT DE123456789',
      frame_parents: ['https://Shop.example.com/', 'https://shop.example.com', 'http://localhost:5173'],
      tolerance_bps: 500,
      wallets_by_login_only: true,
    };
    expect((await patch(all)).body.data).toMatchObject({
      ...all,
      brand: { accent_color: '#0B6E4F', background_color: '#FFFFFF', theme: 'dark', corners: 'soft' },
      support_email: 'help@shop.example.com',
      frame_parents: ['https://shop.example.com', 'http://localhost:5173'],
    });
    const some = await patch({
      name: null,
      brand: { accent_color: null },
      tolerance_bps: 0,
      wallets_by_login_only: false,
      confirm_key_wallets: false,
    });
    expect(some.body.data).toMatchObject({
      name: null,
      brand: { accent_color: null, background_color: '#FFFFFF', theme: 'dark', corners: 'soft' },
      tolerance_bps: 0,
      wallets_by_login_only: false,
      confirm_key_wallets: false,
      logo_url: 'https://shop.example.com/logo.svg',
      support_url: 'https://shop.example.com/help?from=pay',
    });
    const none = await patch({
      logo_url: null,
      support_email: null,
      support_url: null,
      receipt_details: ' ',
      frame_parents: [],
      tolerance_bps: null,
    });
    expect(none.body.data).toMatchObject({
      logo_url: null,
      support_email: null,
      support_url: null,
      receipt_details: null,
      frame_parents: [],
      tolerance_bps: null,
    });
    expect((await get(merchant.liveKey)).body.data).toMatchObject({ name: null, frame_parents: [] });
  });

  test("200: an empty request changes nothing; an account's identity cannot be changed", async () => {
    const before = (await get(merchant.loginToken)).body.data;
    const after = (
      await patch({
        id: 'acc_1',
        email: 'eve@example.com',
        login_method: 'wallet',
        test_clock_offset_ms: 5,
        livemode: false,
      })
    ).body.data;
    expect({ ...after, test_clock: null }).toEqual({ ...before, test_clock: null });
  });

  test('200: two changes at once both stand', async () => {
    await Promise.all([
      patch({ name: 'Both' }),
      patch({ support_email: 'both@example.com' }),
      patch({ brand: { accent_color: '#123456' } }),
      patch({ brand: { background_color: '#654321' } }),
    ]);
    expect((await get(merchant.loginToken)).body.data).toMatchObject({
      name: 'Both',
      support_email: 'both@example.com',
      brand: { accent_color: '#123456', background_color: '#654321' },
    });
  });

  test('another account is not touched', async () => {
    const other = await app.newMerchant();
    await patch({ name: 'Mine' });
    expect((await get(other.liveKey)).body.data.name).toBeNull();
  });

  test.each([
    ['name', { name: 5 }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\u0000' }],
    ['name', { name: '\ud800' }],
    ['logo_url', { logo_url: 'logo.svg' }],
    ['logo_url', { logo_url: 'http://shop.example.com/logo.svg' }],
    ['logo_url', { logo_url: 'javascript:alert(1)' }],
    ['logo_url', { logo_url: 'data:image/svg+xml,x' }],
    ['logo_url', { logo_url: 'https://user:pw@shop.example.com/l.svg' }],
    ['logo_url', { logo_url: `https://shop.example.com/${'x'.repeat(2100)}` }],
    ['logo_url', { logo_url: 'https://shop.example.com/"onerror=' }],
    ['logo_url', { logo_url: '' }],
    ['logo_url', { logo_url: 'https://shop.example.com;script-src *' }],
    ['support_url', { support_url: 'mailto:help@example.com' }],
    ['support_url', { support_url: 'https://' }],
    ['support_url', { support_url: ' https://a.example' }],
    ['support_email', { support_email: 'help' }],
    ['support_email', { support_email: 'help@localhost' }],
    ['support_email', { support_email: '' }],
    ['support_email', { support_email: 1 }],
    ['brand.accent_color', { brand: { accent_color: 'red' } }],
    ['brand.accent_color', { brand: { accent_color: '#fff' } }],
    ['brand.background_color', { brand: { background_color: '#12345g' } }],
    ['brand.theme', { brand: { theme: 'blue' } }],
    ['brand.corners', { brand: { corners: 3 } }],
    ['brand', { brand: 'red' }],
    ['brand', { brand: null }],
    ['frame_parents[0]', { frame_parents: ['https://*.example.com'] }],
    ['frame_parents[0]', { frame_parents: ['*'] }],
    ['frame_parents[1]', { frame_parents: ['https://a.example', 'https://b.example/path'] }],
    ['frame_parents[0]', { frame_parents: ['http://shop.example.com'] }],
    ['frame_parents[0]', { frame_parents: ["https://a.example; script-src 'unsafe-inline'"] }],
    ['frame_parents[0]', { frame_parents: ['https://a.example\n'] }],
    ['frame_parents[0]', { frame_parents: [7] }],
    ['frame_parents', { frame_parents: 'https://a.example' }],
    ['frame_parents', { frame_parents: Array.from({ length: 21 }, (_, n) => `https://a${n}.example`) }],
    ['tolerance_bps', { tolerance_bps: -1 }],
    ['tolerance_bps', { tolerance_bps: 501 }],
    ['tolerance_bps', { tolerance_bps: 0.5 }],
    ['tolerance_bps', { tolerance_bps: '50' }],
    ['tolerance_bps', { tolerance_bps: 1e99 }],
    ['wallets_by_login_only', { wallets_by_login_only: 'yes' }],
    ['wallets_by_login_only', { wallets_by_login_only: null }],
    ['wallets_by_login_only', { wallets_by_login_only: 1 }],
  ])('400 invalid_request: %s of %j', async (param, body) => {
    expect(await patch(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param } } });
  });

  test('401 without a login, 403 forbidden with a secret key', async () => {
    expect((await app.inject('PATCH', '/v1/account', { body: { name: 'Eve' } })).status).toBe(401);
    expect(await patch({ name: 'Eve' }, merchant.liveKey)).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
  });
});
