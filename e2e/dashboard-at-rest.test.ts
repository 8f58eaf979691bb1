import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Visit, pressAndSee, visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { signIn } from './support/sign-in.ts';
import { mailedCode } from './support/mailed-code.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let wide: Visit;
let phone: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  ({ wide, phone } = await signIn(browser, demo));
});

test('the stream of updates waits behind what the page shows', async () => {
  const { page, context } = wide;
  const session = await context.newCDPSession(page);
  const priorities = new Map<string, string>();
  session.on('Network.requestWillBeSent', ({ request }) => {
    priorities.set(new URL(request.url).pathname, request.initialPriority);
  });
  await session.send('Network.enable');
  const streamed = page.waitForRequest('**/v1/events/stream');
  await page.goto(`${demo.url}/dashboard/payments`);
  await page.getByText('order-1034').first().waitFor();
  await streamed;
  await session.detach();
  expect(priorities.get('/v1/payments')).toBe('High');
  expect(priorities.get('/v1/events/stream')).toBe('Low');
});

test('a payment that was made while the stream was away is shown once it is back', async () => {
  const { page } = wide;
  const { promise: isMade, resolve: made } = Promise.withResolvers<void>();
  let streams = 0;
  await page.route('**/v1/events/stream', async (route) => {
    streams += 1;
    if (streams === 1) return route.fulfill({ contentType: 'text/event-stream', body: '' });
    await isMade;
    return route.continue();
  });
  const ended = page.waitForResponse('**/v1/events/stream');
  await page.goto(`${demo.url}/dashboard/payments`);
  await page.getByText('order-1034').first().waitFor();
  await ended;
  const answer = await fetch(`${demo.url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '66.06' }),
  });
  const { data } = (await answer.json()) as { data: { id: string } };
  await fetch(`${demo.url}/v1/public/checkout/sessions/${data.id}/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'paid' }),
  });
  expect(await page.getByText('$66.06').count()).toBe(0);
  made();
  await page.getByRole('row').filter({ hasText: '$66.06' }).filter({ hasText: 'Paid' }).waitFor();
  await page.unroute('**/v1/events/stream');
});

test('every row of payments fits: on a phone, whose menu is a drawer, and beside the menu of a small laptop', async () => {
  const { page } = phone;
  await page.goto(`${demo.url}/dashboard`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Payments' }).click();
  // Home has rows as well, until its page is replaced.
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'order-1034' }).waitFor();
  const ends = await page
    .getByRole('row')
    .evaluateAll((rows) => rows.slice(1).map((row) => row.getBoundingClientRect().right));
  expect(ends.length).toBeGreaterThan(1);
  expect(Math.max(...ends)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);

  for (const locale of ['en-US', 'de-DE']) {
    await using laptop = await visit(browser, demo.url, { viewport: { width: 1280, height: 800 }, locale });
    await laptop.context.addCookies(await phone.context.cookies());
    await laptop.page.goto(`${demo.url}/dashboard/payments`);
    await laptop.page.getByRole('row').filter({ hasText: 'order-1034' }).waitFor();
    const table = laptop.page.locator('section:has(> table)');
    expect([locale, await table.evaluate((one) => one.scrollWidth - one.clientWidth)]).toEqual([locale, 0]);
  }
});

test('settings that are not saved are not lost without a question', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByLabel('Name').fill('Fern & Moss');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Fern & Moss');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await pressAndSee(() => bar.getByRole('button', { name: 'Save' }).click(), bar.getByText('Saved', { exact: true }));
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
});

test('what is typed while settings are being saved stays, and is saved by the next press', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/settings`);
  const [name, email] = [page.getByLabel('Name'), page.getByLabel('Support email')];
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  const save = bar.getByRole('button', { name: 'Save' });
  await name.fill('Fern & Lichen');
  // The account is read again before the form is done.
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/v1/account', async (route) => {
    if (route.request().method() === 'GET') {
      asked.resolve();
      await answered.promise;
    }
    await route.continue();
  });
  await save.click();
  await asked.promise;
  await name.fill('Fern, Lichen & Moss');
  await email.fill('moss@shop.example');
  answered.resolve();
  await bar.locator('[aria-busy]').waitFor({ state: 'detached' });
  expect([await name.inputValue(), await email.inputValue()]).toEqual(['Fern, Lichen & Moss', 'moss@shop.example']);

  await page.unroute('**/v1/account');
  await pressAndSee(() => save.click(), bar.getByText('Saved', { exact: true }));
  await page.reload();
  await email.waitFor();
  expect([await name.inputValue(), await email.inputValue()]).toEqual(['Fern, Lichen & Moss', 'moss@shop.example']);
});

test('the other mode does not take unsaved settings with it, and asks first', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/settings`);
  const name = page.getByLabel('Name');
  await page.getByText('Live', { exact: true }).click();
  await page.getByText('Test mode: no real money').waitFor({ state: 'hidden' });
  await name.waitFor();
  const live = await name.inputValue();
  await page.getByText('Test', { exact: true }).click();
  await page.getByText('Test mode: no real money').waitFor();
  await name.fill('Moss & Fern');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByText('Live', { exact: true }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Test mode: no real money').waitFor();
  expect(await page.getByRole('radio', { name: 'Test' }).isChecked()).toBe(true);
  expect(await name.inputValue()).toBe('Moss & Fern');
  await page.getByText('Live', { exact: true }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Test mode: no real money').waitFor({ state: 'hidden' });
  expect(await name.inputValue()).toBe(live);
  await page.getByText('Test', { exact: true }).click();
  await page.getByText('Test mode: no real money').waitFor();
  expect(await name.inputValue()).not.toBe('Moss & Fern');
});

test('a refused setting has one message, at its field, in the words of its label', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByLabel('Accent color', { exact: true }).fill('red');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').allTextContents()).toEqual(['“Accent color” must be a color such as #0B6E4F.']);
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('the paymaster is set and removed, and only its host is shown; a wrong URL has one message at its field', async () => {
  const { page } = wide;
  const readHost = async () => {
    const answer = await page.request.get(`${demo.url}/v1/account`);
    return ((await answer.json()) as { data: { paymaster_host?: string } }).data.paymaster_host;
  };
  await page.goto(`${demo.url}/dashboard/settings`);
  const field = page.getByLabel('Paymaster (https URL)');
  await field.fill('http://paymaster.example.com/v1/secret');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').allTextContents()).toEqual([
    '“Paymaster (https URL)” must be an https URL such as https://example.com/help.',
  ]);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await readHost()).toBeUndefined();

  await field.fill('https://paymaster.example.com/v1/secret');
  await save(page);
  await page.getByText('paymaster.example.com pays the network fee').waitFor();
  expect(await field.inputValue()).toBe('');
  expect(await readHost()).toBe('paymaster.example.com');

  await page.getByLabel('Underpayment tolerance (%)').fill('1');
  await save(page);
  expect(await readHost()).toBe('paymaster.example.com');

  await page.getByRole('checkbox', { name: 'Remove the paymaster' }).check();
  await page.getByLabel('Underpayment tolerance (%)').fill('');
  await save(page);
  await page.getByText('Pays the network fee of customers').waitFor();
  expect(await readHost()).toBeUndefined();
});

test('a tolerance is read with a comma and with a point, and shown as the language writes it', async () => {
  await using german = await visit(browser, demo.url, { locale: 'de-DE' });
  await german.context.addCookies(await wide.context.cookies());
  for (const [{ page }, label, typed, shown] of [
    [wide, 'Underpayment tolerance (%)', '0,3', '0.3'],
    [german, 'Toleranz bei Unterzahlung (%)', '0,4', '0,4'],
  ] as const) {
    await page.goto(`${demo.url}/dashboard/settings`);
    await page.getByLabel(label).fill('');
    await page.getByLabel(label).pressSequentially(typed);
    await page.getByRole('button', { name: /^(Save|Speichern)$/ }).click();
    await page.getByText(/^(Saved|Gespeichert)$/).waitFor();
    expect(await page.getByLabel(label).inputValue()).toBe(shown);
  }
  expect(german.incidents).toEqual([]);
});

test('the timeline shows money or webhooks, and the keys help', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/payments?status=paid`);
  await page.getByRole('row').nth(2).getByRole('link').click();
  await page.getByText('The customer was asked for').waitFor();
  expect(await deliveries(page).count()).toBe(0);
  await page.getByRole('button', { name: 'Webhooks' }).click();
  await deliveries(page).first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Payment links').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.getByRole('heading', { name: 'Payout wallets' }).waitFor();
});

test('an unknown address keeps the navigation, and the account menu signs out', async () => {
  await using window = await visit(browser, demo.url);
  const { page } = window;
  await page.goto(`${demo.url}/dashboard/sign-in`);
  await page.getByLabel('Email').fill('noor@shop.example');
  await page.getByRole('button', { name: 'Send a code' }).click();
  await page.getByLabel('Code').fill(await mailedCode(window, demo.url, 'noor@shop.example'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Get started').waitFor();
  await page.getByRole('link', { name: 'Add a payout wallet' }).click();
  await page.getByRole('dialog', { name: 'Add a payout wallet' }).waitFor();
  await page.goto(`${demo.url}/dashboard/nowhere`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Payments' }).waitFor();
  await page.getByLabel('Account', { exact: true }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
  const logout = `${demo.url}/dashboard/session/logout`;
  await page.route(logout, (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alert').filter({ hasText: 'Can’t reach the server' }).waitFor();
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alert').filter({ hasText: 'Can’t reach the server' }).waitFor();
  await page.unroute(logout);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.waitForURL(/\/dashboard\/sign-in/);
  await page.goto(`${demo.url}/dashboard/payments`);
  await page.waitForURL(/\/dashboard\/sign-in/);
});

test('times are shown in the time zone of the settings', async () => {
  await using window = await visit(browser, demo.url, { timezoneId: 'Europe/Berlin' });
  await window.context.addCookies(await wide.context.cookies());
  const { page } = window;
  const headers = { authorization: `Bearer ${demo.testKey}` };
  const listed = await fetch(`${demo.url}/v1/payments?status=paid`, { headers });
  const [payment] = ((await listed.json()) as { data: { id: string; created_at: string }[] }).data;
  const inZone = (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(
      new Date(payment?.created_at ?? ''),
    );
  const shown = (zone: string) => page.getByText(inZone(zone), { exact: true }).first().waitFor();
  await page.goto(`${demo.url}/dashboard/payments/${payment?.id}`);
  await shown('Europe/Berlin');
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.goto(`${demo.url}/dashboard/payments/${payment?.id}`);
  await shown('Asia/Tokyo');
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByLabel('Time zone').selectOption({ label: 'Default (Europe/Berlin)' });
  await page.goto(`${demo.url}/dashboard/payments/${payment?.id}`);
  await shown('Europe/Berlin');
});

test('the volume is compared with as many days before', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard`);
  await page.getByText('Latest payments').waitFor();
  const answer = page.waitForResponse((response) => response.url().includes('/dashboard/api/overview?days=14'));
  await page.getByRole('button', { name: '7 days' }).click();
  const { data } = (await (await answer).json()) as {
    data: { days: { paid: { currency: string; volume: string }[] }[] };
  };
  const volume = (days: typeof data.days) =>
    days
      .flatMap(({ paid }) => paid)
      .filter(({ currency }) => currency === 'USD')
      .reduce((total, { volume: one }) => total + Math.round(Number(one) * 100), 0);
  const half = data.days.length / 2;
  const before = volume(data.days.slice(0, half));
  const change = before === 0 ? 0 : (volume(data.days.slice(half)) - before) / before;
  expect(before).toBeGreaterThan(0);
  const chip = page.getByText(`compared with the ${half} days before`);
  const digits = Math.abs(change) < 0.1 ? 1 : 0;
  const percent = Math.trunc(change * 1_000) / 10;
  expect(await chip.textContent()).toContain(`${change > 0 ? '+' : ''}${percent.toFixed(digits)}%`);
});

test('a payment link is disabled at once, and is active again with a message if the service refuses', async () => {
  const { page } = wide;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/payment-links/*/disable', async (route) => {
    await held;
    await route.abort();
  });
  await page.goto(`${demo.url}/dashboard/links`);
  const row = page.getByRole('row').filter({ hasText: 'Fern care workshop' });
  await row.getByRole('button', { name: 'Disable' }).click();
  await row.getByText('Disabled', { exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  release();
  await row.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'Can’t reach the server.' }).waitFor();

  await page.unroute('**/v1/payment-links/*/disable');
  await page.reload();
  const place = async () => (await row.boundingBox())?.y;
  const before = await place();
  await row.getByRole('button', { name: 'Disable' }).click();
  await row.getByText('Disabled', { exact: true }).waitFor();
  const notice = page.getByRole('status').filter({ hasText: 'Disabled: Fern care' });
  await notice.waitFor();
  // A second click would disable another link.
  expect(await place()).toBe(before);
  // Over a list that is longer than the window it leaves the buttons free.
  const button = row.getByRole('button', { name: 'Enable' });
  const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
  const size = page.viewportSize();
  await page.setViewportSize({ width: size?.width ?? 1280, height: Math.ceil(y + height + 25) });
  expect((await notice.boundingBox())?.y).toBeLessThan(y + height);
  const under = ([x, y]: number[]) => document.elementFromPoint(x ?? 0, y ?? 0)?.closest('button')?.textContent;
  expect(await page.evaluate(under, [x + width / 2, y + height / 2])).toBe('Enable');
  await page.setViewportSize(size ?? { width: 1280, height: 800 });
  await notice.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Active', { exact: true }).waitFor();
  await page.reload();
  await row.getByText('Active', { exact: true }).waitFor();
});

test('an account that cannot be read keeps the navigation, and is read again on request', async () => {
  const { page } = wide;
  await page.route('**/v1/account', (route) =>
    route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'Not now.', param: null } } }),
  );
  await page.goto(`${demo.url}/dashboard/payments`);
  await page.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Payments' }).waitFor();
  await page.getByLabel('Account', { exact: true }).waitFor();
  await page.unroute('**/v1/account');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('order-1034').first().waitFor();
});

test('the documentation is searched on a phone, and a sample is copied', async () => {
  const { page } = phone;
  await page.goto(`${demo.url}/docs`);
  await page.getByRole('combobox', { name: 'Search the docs' }).fill('rate_limited');
  await page.getByRole('option').first().click();
  await page.waitForURL(/\/docs\/errors#rate_limited/);
  await page.goto(`${demo.url}/docs`);
  await pressAndSee(
    () => page.getByRole('button', { name: 'Copy this code' }).first().click(),
    page.getByText('Copied').first(),
  );
});

const deliveries = (page: Page) => page.getByRole('listitem').filter({ hasText: /delivered, response/ });

async function save(page: Page): Promise<void> {
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await pressAndSee(() => bar.getByRole('button', { name: 'Save' }).click(), bar.getByText('Saved', { exact: true }));
}
