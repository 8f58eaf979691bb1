import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLoginLink } from '../../../src/resources/logins/create-login-link.ts';
import { openLink } from '../../../src/resources/payment-links/open.ts';
import { logRequestsNow, startDashboard, type DashboardTest } from '../../support/dashboard.ts';

let t: DashboardTest;
beforeAll(async () => {
  t = await startDashboard();
});
afterAll(() => t.app.stop());

const own = { 'sec-fetch-site': 'same-origin' };

describe('signing in', () => {
  test('a code of a mail makes a cookie that scripts cannot read, and no token in the answer', async () => {
    const { answer } = await t.signIn('ada@shop.example');

    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ signed_in: true });
    expect(answer.raw).not.toContain('ses_');
    expect(answer.headers['set-cookie']).toMatch(
      /^session=ses_[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
    );
  });

  test('a wallet signs in by its signature', async () => {
    const { cookie } = await t.signInByWallet();

    const account = await t.get('/v1/account', { cookie });
    expect(account.body.data.login_method).toBe('wallet');
  });

  test('another site cannot sign its visitor in', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      {},
    ]) {
      const answer = await t.app.inject('POST', '/dashboard/session/email', {
        body: { email: 'ada@shop.example', code: 'AAAAAA' },
        headers,
      });
      expect(answer.status).toBe(403);
    }
  });

  test('another site cannot use the cookie', async () => {
    const { cookie } = await t.signIn('eve@shop.example');
    const answer = await t.app.inject('POST', '/v1/payout-wallets', {
      body: {},
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    });
    expect(answer.status).toBe(403);
    const form = await t.app.inject('POST', '/dashboard/session/logout', {
      body: 'everywhere=true',
      headers: { cookie, ...own, 'content-type': 'text/plain' },
    });
    expect(form.status).toBe(403);
  });

  test('forged, cut-off and foreign cookies are refused', async () => {
    for (const cookie of ['session=', 'session=ses_x', `session=ses_${'a'.repeat(43)}`, 'session=sk_test_1']) {
      expect((await t.get('/dashboard/api/overview', { cookie })).status).toBe(401);
    }
  });

  test('logging out ends the login and empties the cookie; everywhere ends the others too', async () => {
    const first = await t.signIn('mia@shop.example');
    const second = await t.signIn('mia@shop.example');
    const third = await t.signIn('mia@shop.example');

    const answer = await t.app.inject('POST', '/dashboard/session/logout', {
      body: {},
      headers: { cookie: first.cookie, ...own },
    });
    expect(answer.headers['set-cookie']).toMatch(/^session=; .*Max-Age=0$/);
    expect((await t.get('/v1/account', { cookie: first.cookie })).status).toBe(401);
    expect((await t.get('/v1/account', { cookie: second.cookie })).status).toBe(200);

    await t.app.inject('POST', '/dashboard/session/logout', {
      body: { everywhere: true },
      headers: { cookie: second.cookie, ...own },
    });
    expect((await t.get('/v1/account', { cookie: third.cookie })).status).toBe(401);
  });

  test('the one-time link signs in once', async () => {
    const token = await createLoginLink(t.app.ctx, t.app.merchant.accountId);

    const first = await t.app.inject('GET', `/dashboard/open?token=${token}`);
    const again = await t.app.inject('GET', `/dashboard/open?token=${token}`);

    expect(first.headers.location).toBe('/dashboard');
    expect(first.headers['set-cookie']).toContain('HttpOnly');
    expect(again.headers.location).toBe('/dashboard/sign-in?notice=link');
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  test('the one-time link, followed again by the browser that it signed in, leads into the dashboard', async () => {
    const token = await createLoginLink(t.app.ctx, t.app.merchant.accountId);
    const first = await t.app.inject('GET', `/dashboard/open?token=${token}`);
    const again = await t.app.inject('GET', `/dashboard/open?token=${token}`, {
      headers: { cookie: String(first.headers['set-cookie']).split(';')[0] },
    });
    expect(again).toMatchObject({ status: 303, headers: { location: '/dashboard' } });
  });

  test('the bare address leads to the dashboard', async () => {
    expect(await t.app.inject('GET', '/')).toMatchObject({ status: 302, headers: { location: '/dashboard' } });
  });

  test('a secret key does not log into the dashboard', async () => {
    const answer = await t.app.inject('GET', '/dashboard/api/overview', { token: t.app.merchant.testKey });
    expect(answer.status).toBe(403);
  });
});

describe('the page', () => {
  test.each(['/dashboard', '/dashboard/payments', '/dashboard/webhooks/we_x'])(
    '%s is one document that runs nothing but our own files',
    async (path) => {
      const { status, headers, raw } = await t.app.inject('GET', path);
      expect(status).toBe(200);
      expect(headers['content-security-policy']).toMatch(
        /script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
      );
      expect(raw).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/);
    },
  );

  test('the document shows something before its scripts arrive', async () => {
    const { raw } = await t.app.inject('GET', '/dashboard');
    expect(raw).toContain('<div id="root"><p class="opening">Quittance</p></div>');
  });

  test('the document names every file that its script needs first, so that they load at once', async () => {
    const { raw } = await t.app.inject('GET', '/dashboard');
    const entry = /<script type="module" src="([^"]+)"/.exec(raw)?.[1] ?? '';
    const script = (await t.app.inject('GET', entry)).raw;
    const needed = [...script.matchAll(/from\s*"\.\/([^"]+\.js)"/g)].map(([, file]) => file as string);
    const preloaded = [...raw.matchAll(/<link rel="modulepreload" href="([^"]+)"/g)].map(([, href]) => href as string);
    expect(needed.length).toBeGreaterThan(0);
    expect(preloaded).toEqual(expect.arrayContaining(needed.map((file) => new URL(file, `http://x${entry}`).pathname)));
    // What the entry's imports need in turn, and nothing twice.
    expect(new Set(preloaded).size).toBe(preloaded.length);
  });
});

describe('what it reads', () => {
  test('activity by day counts what was paid in each currency, closed days once', async () => {
    const { merchant } = t.app;
    const before = await t.dashboard(merchant, '/dashboard/api/overview?days=7');
    for (const outcome of ['paid', 'paid', 'failed'])
      await t.pay(await merchant.createSession({ amount: '20.00' }), outcome);

    const { days } = await t.dashboard(merchant, '/dashboard/api/overview?days=7');

    expect(before.days).toHaveLength(7);
    expect(days.at(-1)).toMatchObject({
      started: 3,
      paid: [{ currency: 'USD', route: 'direct', count: 2, volume: '40.00', fees: '0.00' }],
    });
    await merchant.post('/test_helpers/clock/advance', { seconds: 3 * 86_400 });
    const later = await t.dashboard(merchant, '/dashboard/api/overview?days=7');
    expect(later.days.at(-4)).toMatchObject({ started: 3, paid: [{ count: 2, volume: '40.00' }] });
  });

  test('search finds a payment by id, session, order number, amount, transaction and sender', async () => {
    const merchant = await t.app.newMerchant();
    const session = await merchant.createSession({ order_id: 'ord%_7 "x"' });
    await t.pay(session, 'paid');
    const { payment: id } = await merchant.get(`/checkout/sessions/${session.id}`);
    const payment = await merchant.get(`/payments/${id}`);
    const {
      data: [transfer],
    } = await merchant.get('/transfers');

    for (const q of [
      id,
      session.id,
      'ord%_7',
      '49',
      '49,00',
      '$49.00',
      '49,00\u00a0$',
      '49.00 USD',
      'usd 49',
      `${transfer.amount} ${transfer.asset}`,
      transfer.amount.replace('.', ','),
      transfer.amount,
      payment.tx_hashes[0],
      `https://basescan.org/tx/${payment.tx_hashes[0]}`,
      transfer.from,
      session.reference,
    ]) {
      const found = await t.dashboard(merchant, `/dashboard/api/search?q=${encodeURIComponent(q)}`);
      expect([q, found.payments.map((one: { id: string }) => one.id)]).toEqual([q, [id]]);
    }
    const none = await t.dashboard(merchant, '/dashboard/api/search?q=ordX');
    expect(none.payments).toEqual([]);
  });

  test('search finds a payment by what it received, with as few decimals as the page writes', async () => {
    const merchant = await t.app.newMerchant();
    const session = await merchant.createSession();
    await t.pay(session, 'refund_required');
    const { payment: id } = await merchant.get(`/checkout/sessions/${session.id}`);
    const received = (await merchant.get(`/payments/${id}`)).actual_output;
    for (const q of [received, `${Number(received)}`, `${Number(received)} USDC`]) {
      const found = await t.dashboard(merchant, `/dashboard/api/search?q=${encodeURIComponent(q)}`);
      expect([q, found.payments.map((one: { id: string }) => one.id)]).toEqual([q, [id]]);
    }
  });

  test('search finds the payments of a link by the id of the link, newest first, and no others', async () => {
    const merchant = await t.app.newMerchant();
    const { id } = await merchant.createLink();
    const now = await t.app.ctx.db.now();
    for (let opened = 0; opened < 2; opened++) {
      const { session } = await t.app.ctx.db.transaction((db) => openLink(db, id, now, null));
      await t.pay(session, 'paid');
    }
    const found = await t.dashboard(merchant, `/dashboard/api/search?q=${id}`);
    expect(found.payments.map((one: { payment_link_id: string }) => one.payment_link_id)).toEqual([id, id]);
    const stranger = await t.app.newMerchant();
    expect((await t.dashboard(stranger, `/dashboard/api/search?q=${id}`)).payments).toEqual([]);
  });

  test('the export holds every payment, past any page, and no formula', async () => {
    const merchant = await t.app.newMerchant();
    const sessions = await Promise.all(
      Array.from({ length: 12 }, (_, at) => merchant.createSession({ order_id: at === 0 ? '=cmd|calc' : `o-${at}` })),
    );
    for (const session of sessions) await t.pay(session, 'paid');

    const raw = await t.download(merchant, 'mode=test');

    expect(raw.trimEnd().split('\r\n')).toHaveLength(13);
    expect(raw).toContain("'=cmd|calc");
    expect((await t.download(merchant, 'mode=live')).trimEnd().split('\r\n')).toHaveLength(1);
    expect((await t.download(merchant, 'mode=test&bom=true')).charCodeAt(0)).toBe(0xfeff);
    expect((await t.download(merchant, 'mode=test&status=expired')).trimEnd().split('\r\n')).toHaveLength(1);
  });

  test('requests of a key are written down with their error, those of the dashboard are not', async () => {
    const merchant = await t.app.newMerchant();
    await merchant.request('GET', '/payments?limit=0');
    await merchant.createSession({}, { idempotencyKey: 'order-1' });
    await logRequestsNow();

    const { data } = await t.page(merchant, '/dashboard/api/requests');

    expect(data.find((one: { status: number }) => one.status === 400)).toMatchObject({
      method: 'GET',
      path: '/v1/payments',
      code: 'invalid_list_request',
    });
    expect(data[0]).toMatchObject({
      method: 'POST',
      path: '/v1/checkout/sessions',
      status: 201,
      idempotency_key: 'order-1',
    });
    const failed = await t.page(merchant, '/dashboard/api/requests?failed=true');
    expect(failed.data.every((one: { status: number }) => one.status >= 400)).toBe(true);
  });

  test('onboarding notices what is true', async () => {
    const merchant = await t.app.newMerchant();
    expect(await t.dashboard(merchant, '/dashboard/api/onboarding')).toMatchObject({
      wallet: false,
      test_paid: false,
      contact: false,
      live_key: true,
    });
    await t.pay(await merchant.createSession(), 'paid');
    await merchant.dashboard.patch('/account', { name: 'Fern & Fog', support_email: 'help@fern.example' });
    await merchant.live.createEndpoint({ url: 'http://localhost:9999/hooks' });
    expect(await t.dashboard(merchant, '/dashboard/api/onboarding')).toMatchObject({
      wallet: true,
      test_paid: true,
      contact: true,
      local_endpoints: ['http://localhost:9999/hooks'],
    });
  });

  test('a shop is known to sell by links once one is paid, until it adds an endpoint', async () => {
    const merchant = await t.app.newMerchant();
    const facts = () => t.dashboard(merchant, '/dashboard/api/onboarding');
    const sells = async () => (await facts()).sells_by_links;
    expect((await facts()).link).toBe(false);
    const link = await merchant.createLink();
    expect((await facts()).link).toBe(true);
    await merchant.pay((await merchant.createSession()).id);
    expect(await sells()).toBe(false);
    const opened = await t.app.inject('POST', `/v1/public/payment-links/${link.id}/open`, { body: {} });
    await merchant.pay(opened.body.data.id);
    expect(await sells()).toBe(true);
    await merchant.createEndpoint({ url: 'https://shop.example.com/hooks' });
    expect(await sells()).toBe(false);
  });

  test('an address is judged while it is typed', async () => {
    const merchant = await t.app.newMerchant();
    await merchant.createWallet();
    const check = (address: string) =>
      t.dashboard(merchant, `/dashboard/api/address-check?network=base&asset=USDC&address=${address}`);
    expect(await check('0x52908400098527886E0F7030069857D2E4169EE7')).toMatchObject({
      valid: true,
      warnings: expect.arrayContaining(['saved_already']),
    });
    expect(await check('0x12')).toMatchObject({ valid: false, address: null });
    expect((await check('0x52908400098527886E0F7030069857D2E4169Ee7')).why).toContain('checksum');
  });

  test('a payment that received nothing cannot be refunded, however it ended', async () => {
    const merchant = await t.app.newMerchant();
    for (const outcome of ['failed', 'expired'] as const) {
      const session = await merchant.createSession();
      const given = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
      await t.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: 'ETH', pay_network: 'arbitrum', refund_address: given },
      });
      await t.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
        body: { action: outcome === 'failed' ? 'failed' : 'expire' },
      });
      const { payment: id, status } = await merchant.get(`/checkout/sessions/${session.id}`);
      expect([status, (await merchant.get(`/payments/${id}`)).expected_output]).toEqual([outcome, '48.260000']);

      const plan = await t.dashboard(merchant, `/dashboard/api/payments/${id}/refund-plan?to=${given}`);
      expect([plan.amount, plan.uri]).toEqual(['0.000000', null]);
    }
  });

  test('a refund is planned as a request that wallets read, to where the money came from', async () => {
    const merchant = await t.app.newMerchant();
    const session = await merchant.createSession();
    await t.pay(session, 'paid');
    const { payment: id } = await merchant.get(`/checkout/sessions/${session.id}`);

    const plan = await t.dashboard(merchant, `/dashboard/api/payments/${id}/refund-plan`);
    const to = plan.suggestions[0].address;
    const made = await t.dashboard(merchant, `/dashboard/api/payments/${id}/refund-plan?to=${to}&amount=1.5`);

    expect(made.uri).toMatch(
      new RegExp(`^ethereum:0x[0-9a-fA-F]{40}@84532/transfer\\?address=${to}&uint256=1500000$`, 'i'),
    );
    expect(
      (await t.dashboard(merchant, `/dashboard/api/payments/${id}/refund-plan?to=nonsense`)).objection,
    ).toBeTruthy();
  });

  test('a planned refund is shown to be sent, and not any more once it is cancelled', async () => {
    const merchant = await t.app.newMerchant();
    const paid = async () => {
      const session = await merchant.createSession({ amount: '98.00' });
      await t.pay(session, 'paid');
      return (await merchant.get(`/checkout/sessions/${session.id}`)).payment;
    };
    const [id, other] = [await paid(), await paid()];
    const to = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
    const refund = await merchant.post(`/payments/${id}/refunds`, { to, coin_amount: '90' });
    const plan = (of: string) => t.dashboard(merchant, `/dashboard/api/payments/${of}/refund-plan?refund=${refund.id}`);

    const shown = await plan(id);
    expect([shown.left, shown.objection]).toEqual([shown.amount, null]);
    expect(shown.uri).toContain(`address=${to}&uint256=90000000`);
    const others = await plan(other);
    expect([others.left, others.uri]).toEqual([others.amount, null]);
    await merchant.post(`/refunds/${refund.id}/cancel`);
    expect(await plan(id)).toMatchObject({ left: shown.amount, uri: null });
  });
});
