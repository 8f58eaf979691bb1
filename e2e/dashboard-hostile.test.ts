import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase, type TestDatabase } from '@quittance/server/testing/database';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit, type Visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { mailedCode } from './support/mailed-code.ts';

/** Would run, load and leave a mark if it were ever parsed as markup. */
const MARKUP = `"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload=window.pwned=1>`;
/** Reverses the text after it, and is invisible. */
const TURNED = 'gnp.\u202Eexe\u200B';

let database: TestDatabase;
let demo: DemoService;
let browser: Browser;
let receiver: Server;
let hook: string;
let shop: Visit;
let email: string;
beforeAll(async () => {
  receiver = createServer((_request, response) =>
    response.writeHead(500, { 'content-type': 'text/html' }).end(`<html>${MARKUP}</html>`),
  ).listen(0, '127.0.0.1');
  database = await createTestDatabase();
  [demo, browser] = await Promise.all([startDemo({ DATABASE_URL: database.url }), openBrowser()]);
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  shop = await visit(browser, demo.url);
  await shop.page.goto(demo.dashboardUrl);
  await shop.page.getByRole('heading', { name: 'Home' }).waitFor();
  email = await shop.page.evaluate(
    async () => (await (await fetch('/v1/account', { headers: { 'service-mode': 'test' } })).json()).data.email,
  );
});
afterAll(async () => {
  receiver?.close();
  await browser?.close();
  await demo?.[Symbol.asyncDispose]();
  await database?.drop();
});

test('markup in every stored string, and in what a receiver answers, is text everywhere', async () => {
  const { page } = shop;
  // As the merchant, from the merchant's own page.
  const own = (method: string, path: string, body: object) =>
    page.evaluate(
      async ([method, path, body]) => {
        const response = await fetch(path as string, {
          method: method as string,
          headers: { 'content-type': 'application/json', 'service-mode': 'test' },
          body: JSON.stringify(body),
        });
        return { status: response.status, ...(await response.json()) };
      },
      [method, path, body] as const,
    ) as Promise<any>;
  await own('PATCH', '/v1/account', { name: MARKUP.slice(0, 100) });
  const wallet = await own('POST', '/v1/payout-wallets', {
    asset: 'USDC',
    network: 'base',
    address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    label: MARKUP.slice(0, 100),
  });
  await own('POST', '/v1/payment-links', {
    payout_wallet_id: wallet.data.id,
    amount: '10.00',
    currency: 'USD',
    description: MARKUP,
    order_id: MARKUP,
  });
  await own('POST', '/v1/api-keys', { mode: 'test', label: MARKUP.slice(0, 100) });
  const endpoint = await own('POST', '/v1/webhook-endpoints', {
    url: `${hook}?q=%3Cimg%20src=x%20onerror=window.pwned=1%3E`,
    events: ['payment.paid'],
  });
  const session = await own('POST', '/v1/checkout/sessions', {
    amount: '66.00',
    order_id: MARKUP,
    description: MARKUP,
    metadata: { [MARKUP.slice(0, 40)]: MARKUP },
    customer: { name: MARKUP, reference: MARKUP },
  });
  // From before the API refused them.
  const turn = (name: string, sql: string) => database.db.query(name, sql, [TURNED, MARKUP]);
  await turn('test_turn_link', 'update payment_links set description = description || $1 where description = $2');
  await turn(
    'test_turn_session',
    `update checkout_sessions
      set order_id = order_id || $1, customer = customer || jsonb_build_object('name', $2::text || $1::text) where order_id = $2`,
  );
  await api('POST', `/v1/public/checkout/sessions/${session.data.id}/test`, { action: 'paid' });
  await api('GET', `/v1/payments/${encodeURIComponent(MARKUP)}`);
  const {
    data: { payment },
  } = await api('GET', `/v1/checkout/sessions/${session.data.id}`);
  await own('POST', `/v1/payments/${payment}/refund`, { reason: MARKUP });
  await expect
    .poll(
      async () =>
        (await api('GET', `/v1/webhook-endpoints/${endpoint.data.id}/deliveries`)).data[0]?.last_response_code,
      { timeout: 15_000 },
    )
    .toBe(500);

  const views: [path: string, text: string][] = [
    ['', MARKUP.slice(0, 40)],
    ['/payments', MARKUP.slice(0, 40)],
    [`/payments/${payment}`, MARKUP],
    ['/customers', MARKUP.slice(0, 40)],
    [`/customers?q=${encodeURIComponent(MARKUP)}`, MARKUP.slice(0, 30)],
    [`/customers/one?reference=${encodeURIComponent(JSON.stringify(MARKUP))}`, MARKUP],
    ['/links', MARKUP.slice(0, 40)],
    ['/wallets', MARKUP.slice(0, 40)],
    ['/keys', MARKUP.slice(0, 40)],
    ['/webhooks', '%3Cimg'],
    [`/webhooks/${endpoint.data.id}`, '%3Cimg'],
    ['/requests', 'onerror'],
    ['/settings', ''],
    ['/transfers', ''],
    [`/payments?q=${encodeURIComponent(MARKUP)}`, MARKUP.slice(0, 30)],
  ];
  for (const [path, text] of views) {
    await page.goto(`${demo.url}/dashboard${path}`);
    await page.locator('h1').first().waitFor();
    if (text) await page.getByText(text).first().waitFor();
    expect(
      await page.evaluate(() => [
        (window as { pwned?: number }).pwned,
        document.querySelectorAll('main script, main img[src="x"], main svg[onload]').length,
      ]),
    ).toEqual([undefined, 0]);
    // Characters that reverse text do not reach the page.
    expect(await page.locator('main').textContent()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  }
  await page.goto(`${demo.url}/dashboard/webhooks/${endpoint.data.id}`);
  await page.getByRole('button', { name: 'payment.paid' }).first().click();
  await page.getByText(`<html>${MARKUP}`).waitFor();
  for (const path of ['/dev/webhooks', '/dev/mail']) {
    await page.goto(demo.url + path);
    expect(
      await page.evaluate(() => [
        (window as { pwned?: number }).pwned,
        document.querySelectorAll('script:not([src]), img[src="x"]').length,
      ]),
    ).toEqual([undefined, 0]);
  }
  const csv = await page.evaluate(async () => (await fetch('/dashboard/api/payments.csv?mode=test')).text());
  expect(csv).toContain(`"${MARKUP.replaceAll('"', '""')}`);
  expect(shop.incidents).toEqual([]);
});

test.each([
  ['forged', `ses_${'a'.repeat(43)}`],
  ['cut off', 'ses_abc'],
  ['of another kind', 'sk_test_nothing'],
  ['empty', ''],
])('a session that is %s shows the sign-in and nothing else', async (_kind, value) => {
  await using window = await visit(browser, demo.url);
  await window.context.addCookies([{ name: 'session', value, url: demo.url }]);
  await window.page.goto(`${demo.url}/dashboard/payments`);
  await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await window.page.getByRole('row').count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('another site cannot post with the cookie, read or frame the dashboard', async () => {
  const trap = createServer((request, response) => {
    const body =
      request.url === '/frame'
        ? `<iframe src="${demo.url}/dashboard"></iframe>`
        : `<form id="f" method="post" enctype="text/plain" action="${demo.url}/v1/api-keys"><input ` +
          `name='{"mode":"test","a":"' value='"}'></form>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  }).listen(0, 'localhost');
  await new Promise((resolve) => trap.once('listening', resolve));
  try {
    await using window = await signedIn();
    const { page } = window;
    const keys = async () =>
      (await page.context().request.get(`${demo.url}/v1/api-keys`, { headers: { 'service-mode': 'test' } })).json();
    const before = (await keys()).data.length;
    const evil = await window.context.newPage();
    await evil.goto(`http://localhost:${(trap.address() as AddressInfo).port}/`);
    // The same site on another port: cookies are still sent, so the origin check must reject it.
    const [posted] = await Promise.all([
      evil.waitForResponse(/\/v1\/api-keys/),
      evil.evaluate(() => (document.getElementById('f') as HTMLFormElement).submit()),
    ]);
    expect([401, 403]).toContain(posted.status());
    await evil.waitForURL(/\/v1\/api-keys/);
    await evil.goto(`http://localhost:${(trap.address() as AddressInfo).port}/frame`);
    const read = await evil.evaluate(
      (url) =>
        fetch(`${url}/v1/account`, { credentials: 'include' }).then(
          (answer) => answer.text(),
          () => 'refused',
        ),
      demo.url,
    );
    expect(read).toBe('refused');
    expect(evil.frames().filter((frame) => frame.url().startsWith(`${demo.url}/dashboard`)).length).toBe(0);
    expect((await keys()).data.length).toBe(before);
  } finally {
    trap.close();
  }
});

test("another account's ids in the address find nothing", async () => {
  const {
    data: [payment],
  } = await api('GET', '/v1/payments?limit=1');
  const {
    data: [endpoint],
  } = await api('GET', '/v1/webhook-endpoints');
  await using window = await visit(browser, demo.url);
  await window.page.goto(`${demo.url}/dashboard/sign-in`);
  await window.page.getByLabel('Email').fill('stranger@shop.example');
  await window.page.getByRole('button', { name: 'Send a code' }).click();
  await window.page.getByLabel('Code').waitFor();
  await window.page.getByLabel('Code').fill(await mailedCode(window, demo.url, 'stranger@shop.example'));
  await window.page.getByRole('button', { name: 'Sign in' }).click();
  await window.page.getByRole('heading', { name: 'Home' }).waitFor();
  await window.page.goto(`${demo.url}/dashboard/payments/${payment.id}`);
  await window.page.getByText('Payment not found in this mode').waitFor();
  await window.page.goto(`${demo.url}/dashboard/webhooks/${endpoint.id}`);
  await window.page.getByText('Endpoint not found in this mode').waitFor();
  await window.page.goto(`${demo.url}/dashboard/payments?q=${payment.id}`);
  await window.page.getByText(/No results for/).waitFor();
  expect(window.incidents).toEqual([]);
});

test('an error says what, and the request it was; the service gone says so; both can be tried again', async () => {
  await demo.seeded();
  await using window = await signedIn();
  const { page } = window;
  await page.route('**/v1/payments?*', (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/json',
      headers: { 'request-id': 'req_exampleExampleExample1' },
      body: JSON.stringify({
        error: {
          code: 'internal_error',
          message: 'Something went wrong on the server. Include the request ID when you report it.',
          param: null,
        },
        request_id: 'req_exampleExampleExample1',
      }),
    }),
  );
  await page.goto(`${demo.url}/dashboard/payments`);
  const alert = page.getByRole('alert').filter({ hasText: 'req_exampleExampleExample1' });
  await alert.waitFor({ timeout: 20_000 });
  await page.unroute('**/v1/payments?*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row').nth(2).waitFor();

  await page.route('**/v1/payment-links*', (route) => route.abort());
  await page.getByRole('link', { name: 'Payment links' }).click();
  const gone = page.getByRole('alert').filter({ hasText: 'Can’t reach the server.' });
  await gone.waitFor({ timeout: 20_000 });
  await page.unroute('**/v1/payment-links*');
  await gone.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Fern care workshop').waitFor();
  expect(window.incidents).toEqual([]);
});

test('what a merchant has typed stays where the page cannot be read again, which says so until it can', async () => {
  await demo.seeded();
  await using window = await signedIn();
  const { page } = window;
  await page.goto(`${demo.url}/dashboard/payments?status=paid`);
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByRole('button', { name: 'I’ve sent it' }).click();
  const reason = page.getByLabel('Reason (optional)');
  await reason.fill('Damaged in transit');

  const isPayment = /\/v1\/payments\/pay_\w+$/;
  await page.route(isPayment, (route) =>
    route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'Not now.', param: null } } }),
  );
  await Promise.all([page.waitForResponse(isPayment), payElsewhere()]);
  const alert = page.getByRole('alert').filter({ hasText: 'Not now.' });
  await alert.waitFor();
  expect(await reason.inputValue()).toBe('Damaged in transit');

  await page.unroute(isPayment);
  await page.keyboard.press('Escape');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  expect(window.incidents).toEqual([]);
});

test('a login that ended elsewhere sends one to the sign-in, and back to where one was', async () => {
  await using window = await signedIn();
  const { page, context } = window;
  await page.goto(`${demo.url}/dashboard/payments?status=paid`);
  await page.getByRole('heading', { name: 'Payments' }).waitFor();
  const cookies = await context.cookies();
  // Everywhere: this window still has its cookie, and it is invalid.
  const ended = await page.evaluate(
    async () =>
      (
        await fetch('/v1/auth/logout-everywhere', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).status,
  );
  expect(ended).toBe(200);
  await context.addCookies(cookies);
  await page.getByRole('button', { name: 'Routed', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('to')).toMatch(/^\/payments/);
  // And nothing of the account remains on the page.
  expect(await page.content()).not.toContain('$');
});

/** A window with its own login of the demo's merchant. */
async function signedIn(): Promise<Visit> {
  const window = await visit(browser, demo.url);
  await api('POST', '/v1/auth/email/start', { email });
  const mail = await window.context.newPage();
  let code = '';
  await expect
    .poll(
      async () => {
        await mail.goto(`${demo.url}/dev/mail`);
        const links = await mail.getByRole('row').filter({ hasText: email }).getByRole('link').allTextContents();
        code =
          links
            .map((text) => text.split(' ').at(-1) ?? '')
            .find((text) => /^[2-9A-Z]{6}$/.test(text) && !used.has(text)) ?? '';
        return code;
      },
      { timeout: 15_000 },
    )
    .not.toBe('');
  used.add(code);
  await mail.close();
  const { data } = await api('POST', '/v1/auth/email/verify', { email, code });
  await window.context.addCookies([
    { name: 'session', value: data.session_token, url: demo.url, httpOnly: true, sameSite: 'Lax' },
  ]);
  return window;
}

const used = new Set<string>();

async function api(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(demo.url + path, {
    method,
    headers: {
      ...(!path.startsWith('/v1/public') &&
        !path.startsWith('/v1/auth') && { authorization: `Bearer ${demo.testKey}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Another customer pays, which reloads what the dashboard shows. */
async function payElsewhere(): Promise<void> {
  const call = async (path: string, body?: object) =>
    (
      await fetch(demo.url + path, {
        headers: { authorization: `Bearer ${demo.testKey}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json();
  const [link] = (await call('/v1/payment-links?status=active')).data;
  const opened = await call(`/v1/public/payment-links/${link.id}/open`, {});
  await call(`/v1/public/checkout/sessions/${opened.data.id}/test`, { action: 'paid' });
}
