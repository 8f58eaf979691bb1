import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { type Visit, overflow, pressAndSee, visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { mailedCode } from './support/mailed-code.ts';
import { beforeStories } from './support/stories.ts';

// The paths that merchants take most often, and the customer at the end of one, on a window of 390 pixels. Others are in
// dashboard-at-rest, dashboard-attention, decides-quickly, pays-converted-on-a-phone and pays-in-arabic-on-a-phone.
let demo: DemoService;
let browser: Browser;
let phone: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  await demo.seeded();
  phone = await visit(browser, demo.url, { phone: true });
  await phone.page.goto(demo.dashboardUrl);
  await phone.page.getByRole('heading', { name: 'Home' }).waitFor();
});
// Whatever was opened on the way there.
afterEach(async () => {
  expect(await overflow(phone.page)).toBe(0);
  expect(phone.incidents).toEqual([]);
});

test('one signs in by a code from a mail', async () => {
  await using window = await visit(browser, demo.url, { phone: true });
  const { page } = window;
  await page.goto(`${demo.url}/dashboard/sign-in`);
  await page.getByLabel('Email').fill('kim@shop.example');
  await page.getByRole('button', { name: 'Send a code' }).click();
  const code = page.getByLabel('Code');
  await code.waitFor();
  // A second code is offered once the first has had time to arrive.
  expect(await page.getByRole('button', { name: /^Send a new code in \d+ s$/ }).isDisabled()).toBe(true);
  expect(await overflow(page)).toBe(0);
  await code.fill(await mailedCode(window, demo.url, 'kim@shop.example'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Get started').waitFor();
  expect(await overflow(page)).toBe(0);
  // A shop that sells by links needs neither a key nor a webhook.
  await page.getByText('Live', { exact: true }).click();
  await page.getByText('Create a live key').waitFor();
  expect(await page.getByText('Payment links don’t need it.').count()).toBe(2);
  await page.getByText('To be paid without a server of your own.').waitFor();
  await page.goto(`${demo.url}/dashboard/webhooks`);
  await page.getByText('Try yours in test mode first.').waitFor();
});

test('what needs a decision says since when and what arrived, and is accepted', async () => {
  const { page } = phone;
  await open(page, '', 'Needs attention');
  const decisions = page.getByRole('region', { name: 'Needs a decision' });
  const item = decisions.getByRole('listitem').filter({ hasText: 'order-1028' });
  await item.getByText('Received 15.5 USDC').waitFor();
  expect(await item.textContent()).toMatch(/yesterday|day|hr\. ago/);
  // The provider holds this one's money, so nothing is said to have arrived.
  expect(await decisions.getByRole('listitem').filter({ hasText: 'order-1022' }).textContent()).not.toContain(
    'Received',
  );
  // A transfer that came too much names the order that was paid already.
  const transfers = page.getByRole('region', { name: 'Unattributed transfers' });
  await transfers.getByRole('link', { name: / USDC · Base · order-1020$/ }).waitFor();
  await item.getByRole('link').click();
  await page.getByRole('button', { name: 'Accept payment' }).click();
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: /^Paid/ }).waitFor();
});

test('payments are found by their order, and by two days of the calendar', async () => {
  const { page } = phone;
  await open(page, '/payments', 'Export CSV');
  await page.getByRole('searchbox', { name: 'Search payments' }).fill('order-1034');
  await page.getByRole('table').getByText('order-1034').waitFor();
  await expect.poll(() => page.getByRole('row').count(), { timeout: 15_000 }).toBe(2);

  await open(page, '/payments', 'Export CSV');
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByLabel('Period: Any time').click();
  await page.getByRole('button', { name: 'Previous month' }).click();
  const days = page.locator('[data-day]');
  // Backwards, to see that the earlier day becomes the first.
  await days.nth(19).click();
  await page.getByText('Choose the last day.').waitFor();
  await days.nth(9).click();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('after')?.slice(-2), searchParams.get('before')?.slice(-2)]).toEqual(['10', '20']);
  expect(await days.count()).toBe(0);

  await page.getByLabel(/^Period: /).click();
  await page.keyboard.press('Escape');
  await page.getByLabel(/^Period: /).click();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await page.getByLabel('Period: Last 7 days').waitFor();
});

test('the arrow keys move among the days, also into another month', async () => {
  const { page } = phone;
  await open(page, '/payments?after=2026-03-01&before=2026-03-01', 'Export CSV');
  await page.getByRole('button', { name: 'Filters (1)' }).click();
  await page.getByLabel(/^Period: /).click();
  await page.locator('[data-day="2026-03-01"]').focus();
  await page.keyboard.press('ArrowLeft');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-day'))).toBe('2026-02-28');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/after=2026-02-28&before=2026-03-07/);
});

test('who closes a dialog by the keyboard is where they opened it', async () => {
  const { page } = phone;
  await open(page, '/links', 'Create a link');
  const opener = page.getByRole('button', { name: 'Create a link' });
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('a link is made, copied and paid by a customer, and leads to its payment', async () => {
  const { page } = phone;
  await open(page, '/links', 'Fern care workshop');
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByLabel('Description').fill('A pot of moss');
  await page.getByLabel('Amount').fill('21.00');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor();
  await page.keyboard.press('Escape');
  const row = page.getByRole('row').filter({ hasText: 'A pot of moss' });
  await pressAndSee(() => row.getByRole('button', { name: /^Copy http/ }).click(), row.getByText('Copied'), {
    state: 'attached',
  });
  const url = await page.evaluate(() => navigator.clipboard.readText());

  await using customer = await visit(browser, demo.url, { phone: true });
  await customer.page.goto(url);
  await customer.page.getByRole('button', { name: 'Continue to payment' }).click();
  await customer.page.getByRole('button', { name: 'Pay exact amount' }).click();
  await customer.page.getByRole('heading', { name: /paid/i }).first().waitFor();
  expect(await overflow(customer.page)).toBe(0);
  expect(customer.incidents).toEqual([]);

  await page.reload();
  await row.getByRole('link', { name: 'A pot of moss' }).click();
  await page.getByText('Link: A pot of moss').waitFor();
  expect(await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toContain('payment_link_id=pl_');
  await page.getByRole('row').filter({ hasText: '$21.00' }).filter({ hasText: 'Paid' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
});

test('a refund is recorded', async () => {
  const { page } = phone;
  await open(page, '/payments?status=paid&route=direct', 'Export CSV');
  await page.getByRole('row').nth(2).getByRole('link').click();
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByRole('button', { name: 'I’ve sent it' }).click();
  await page.getByLabel('Transaction (optional)').fill(`0x${'ab'.repeat(32)}`);
  await page.getByRole('button', { name: 'Check transaction' }).click();
  await page.getByRole('button', { name: 'Record the refund' }).click();
  await page.getByText('A refund arrived').waitFor();
});

test('a transfer is searched a payment for, and marked as handled', async () => {
  const { page } = phone;
  await open(page, '/transfers', 'Mark as handled');
  await page.getByRole('button', { name: 'Assign' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Search by order number or payment ID').fill('order-1034');
  await dialog.getByRole('radio').first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Mark as handled' }).first().click();
  await page.getByText('All caught up').waitFor();
});

test('a payout wallet is added', async () => {
  const { page } = phone;
  await open(page, '/wallets', 'Solana takings');
  await page.getByRole('button', { name: 'Add a wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
  await dialog.getByLabel('Name (optional)').fill('Till');
  await dialog.getByRole('button', { name: 'Save wallet' }).click();
  await page.getByText('Till', { exact: true }).waitFor();
  // A second entry for the same coin is not saved; for another coin it may be meant.
  await page.getByRole('button', { name: 'Add a wallet' }).click();
  await dialog.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
  await dialog.getByText('You’ve already saved this address for this asset.').waitFor();
  const save = dialog.getByRole('button', { name: 'Save wallet' });
  expect(await save.isDisabled()).toBe(true);
  await dialog.getByLabel('Asset and network').selectOption('USDC_ETHEREUM');
  await dialog.getByText('for a different asset or network').waitFor();
  expect(await save.isEnabled()).toBe(true);
  await page.keyboard.press('Escape');
});

test('settings are saved by the bar, which is in sight', async () => {
  const { page } = phone;
  await open(page, '/settings', 'What customers see');
  await page.getByLabel('Name').fill('Fern & Moss');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  const box = await bar.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  await pressAndSee(() => bar.getByRole('button', { name: 'Save' }).click(), bar.getByText('Saved', { exact: true }));
});

test('a key is rotated so that the old secret works for another day, and the row says so', async () => {
  const { page } = phone;
  await open(page, '/keys', 'sk_test_');
  const works = async (secret: string) =>
    (await fetch(`${demo.url}/v1/payments`, { headers: { authorization: `Bearer ${secret}` } })).status === 200;
  await page.getByRole('button', { name: 'Rotate' }).first().click();
  await page.getByLabel('Old secret').selectOption({ label: 'Works for one more day' });
  await page.getByRole('button', { name: 'Rotate now' }).click();
  const secret =
    (await page
      .getByRole('dialog')
      .getByText(/^sk_test_/)
      .first()
      .textContent()) ?? '';
  expect([await works(demo.testKey), await works(secret)]).toEqual([true, true]);
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.getByText(/^The old secret works until /).waitFor();
});

test('a webhook endpoint is added, its secret is shown once, and a refused address is explained at its field', async () => {
  const { page } = phone;
  await open(page, '/webhooks', 'Healthy');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  const address = dialog.getByLabel('Address');
  const add = dialog.getByRole('button', { name: 'Add the endpoint' });
  await address.fill('ftp://shop.example.com/webhooks');
  await add.click();
  await dialog.getByRole('alert').filter({ hasText: 'The URL must begin with https://.' }).waitFor();
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  expect(await isOnScreen(page, dialog.getByRole('alert'))).toBe(true);

  const url = 'https://shop.example.com/of-a-phone';
  await address.fill(url);
  await dialog.getByLabel('payment.created').check();
  await add.click();
  await dialog.getByRole('button', { name: 'Copy secret' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^whsec_/);
  expect(await overflow(page)).toBe(0);
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
  const row = page.getByRole('row').filter({ hasText: url });
  await row.getByText('No events sent yet').waitFor();
  expect(await page.getByText('whsec_').count()).toBe(0);
  await row.getByRole('link').click();
  await page.getByText('payment.created').first().waitFor();
});

test('a customer is found by a part of their name, and one of their payments leads back to them', async () => {
  const { page } = phone;
  await open(page, '/customers', 'Nordlicht Studio GmbH');
  await page.getByRole('searchbox').fill('kim');
  await page.getByText('Nordlicht Studio GmbH').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Kim Reyes' }).click();
  await page.getByRole('heading', { name: 'Kim Reyes' }).waitFor();
  await page.getByText('kim.reyes@example.com').first().waitFor();
  const payments = page.getByRole('region', { name: 'Payments' }).getByRole('row');
  await payments.filter({ hasText: '$49.00' }).first().waitFor();
  // Four payments below the heads of the table.
  expect(await payments.count()).toBe(5);
  expect(await overflow(page)).toBe(0);

  await payments.filter({ hasText: '$50.00' }).getByRole('link').click();
  await page.getByRole('link', { name: 'Kim Reyes' }).click();
  await page.getByRole('heading', { name: 'Kim Reyes' }).waitFor();
});

test('the numbers of a delivery are named, and what was sent reads from left to right in Arabic too', async () => {
  const { page } = phone;
  await open(page, '/webhooks', 'Add endpoint');
  await page.getByRole('link', { name: /receive$/ }).click();
  const row = page.getByRole('row').filter({ hasText: 'payment.paid' }).first();
  await row.waitFor();
  expect(await row.textContent()).toMatch(/Attempts 1Response 200/);

  await row.getByRole('button').click();
  const sent = page.getByRole('dialog').locator('pre').first();
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  expect(await sent.evaluate((block) => getComputedStyle(block).direction)).toBe('ltr');
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'ltr'));
  await page.keyboard.press('Escape');
});

test('every value of a two-line row is named: those of endpoints, links and keys', async () => {
  const { page } = phone;
  await open(page, '/webhooks', 'Healthy');
  const endpoint = page.getByRole('row').filter({ hasText: '/receive' });
  expect(await endpoint.textContent()).toMatch(/Avg\. response \d+ ms.*Pending 0/);
  await open(page, '/links', 'Fern care workshop');
  const link = page.getByRole('row').filter({ hasText: 'Fern care workshop' });
  expect(await link.textContent()).toMatch(/Paid out in USDC[\s\S]*Payments \d/);
  await open(page, '/keys', 'sk_test_');
  expect(await page.getByRole('row').nth(1).textContent()).toMatch(/Last used .+Created .+/);
});

test('the file for bookkeeping is chosen by its period, on the screen', async () => {
  const { page } = phone;
  await open(page, '/payments', 'Export CSV');
  await page.getByText('Bookkeeping', { exact: true }).click();
  const month = page.getByRole('link', { name: 'Last month' });
  expect(await month.getAttribute('href')).toMatch(/mode=test&bom=true&after=\d{4}-\d\d-01&before=\d{4}-\d\d-01$/);
  expect(await overflow(page)).toBe(0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Any time' }).click(),
  ]);
  const [head, ...lines] = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(head).toMatch(/^\uFEFFdate,kind,value/);
  expect(lines.some((line) => line.includes(',refund,-'))).toBe(true);
});

test('a mode without payments leads on', async () => {
  const { page } = phone;
  await open(page, '/payments', 'Export CSV');
  await page.getByText('Live', { exact: true }).click();
  await page.getByText('No payments yet').waitFor();
  await page.getByRole('link', { name: 'Documentation' }).last().waitFor();
  await page.getByRole('link', { name: 'Create a payment link' }).click();
  await page.getByRole('heading', { name: 'Payment links' }).waitFor();
  await page.keyboard.press('Escape');
});

async function open(page: Page, path: string, text: string): Promise<void> {
  await page.goto(`${demo.url}/dashboard${path}`);
  await page.getByText(text).first().waitFor();
}

/** Whether all of it is visible without scrolling. */
async function isOnScreen(page: Page, place: Locator): Promise<boolean> {
  const box = await place.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0);
}
