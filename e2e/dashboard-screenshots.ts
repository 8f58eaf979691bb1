import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser, visit } from './support/browser.ts';
import { startDemo } from './support/demo-service.ts';

// `npm run program -- screenshots-dashboard`: pictures of every view of the demo shop, for the documentation and for
// reviews.
const folder = fileURLToPath(new URL('../.cache/screenshots/dashboard/', import.meta.url));
await mkdir(folder, { recursive: true });

await using stack = new AsyncDisposableStack();
const demo = stack.use(await startDemo());
const browser = await openBrowser();
stack.defer(() => browser.close());
await demo.seeded();

const wide = stack.use(await visit(browser, demo.url, { viewport: { width: 1360, height: 900 } }));
await wide.page.goto(`${demo.url}/dashboard/sign-in`);
await wide.page.getByLabel('Email').fill('ada@fern-and-fog.example');
await shoot(wide.page, 'sign-in');
await wide.page.goto(demo.dashboardUrl);
await show(wide.page, '', 'Volume');
await shoot(wide.page, 'home');
await show(wide.page, '/payments', 'Export CSV');
await shoot(wide.page, 'payments');
await wide.page.getByRole('link', { name: '$220.00' }).first().click();
await settle(wide.page, 'Timeline');
await shoot(wide.page, 'payment');
await wide.page.getByRole('button', { name: 'Refund', exact: true }).click();
await wide.page.getByText('Send a refund').waitFor();
await shoot(wide.page, 'refund');
await show(wide.page, '/customers', 'Kim Reyes');
await shoot(wide.page, 'customers');
await wide.page.getByRole('link', { name: 'Nordlicht' }).click();
await settle(wide.page, 'Last payment');
await shoot(wide.page, 'customer');
await show(wide.page, '/transfers', 'Transfers');
await shoot(wide.page, 'transfers');
await show(wide.page, '/wallets', 'Payout wallets');
await wide.page.getByRole('button', { name: 'Add a wallet' }).click();
await wide.page.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
await wide.page.getByRole('status').filter({ hasText: '0x8617' }).waitFor();
await shoot(wide.page, 'wallets');
await show(wide.page, '/links', 'Payment links');
await wide.page.getByRole('button', { name: 'Share' }).first().click();
await shoot(wide.page, 'links');
await wide.page.keyboard.press('Escape');
await wide.page.getByRole('button', { name: 'Create a link' }).first().click();
await wide.page.getByLabel('Description').fill('Fern care workshop, one seat');
await wide.page.getByLabel('Amount').fill('49.00');
await shoot(wide.page, 'link-create');
await show(wide.page, '/webhooks', 'Webhooks');
await shoot(wide.page, 'webhooks');
await wide.page.getByRole('link', { name: '/dev/webhooks/receive' }).click();
await wide.page
  .getByRole('button', { name: /payment\./ })
  .first()
  .click();
await wide.page.getByText('Raw body').waitFor();
await shoot(wide.page, 'webhook');
await show(wide.page, '/keys', 'API keys');
await shoot(wide.page, 'keys');
await show(wide.page, '/requests', 'Request log');
await shoot(wide.page, 'requests');
await show(wide.page, '/settings', 'What customers see');
await shoot(wide.page, 'settings');
await wide.page.getByRole('radio', { name: 'Selected coins only' }).check();
await wide.page.getByText('Expires after').scrollIntoViewIfNeeded();
await shoot(wide.page, 'settings-checkouts');
// Settings that are not saved ask before they are left.
await wide.page.getByRole('radio', { name: 'All supported coins' }).check();
await show(wide.page, '/payments', 'Export CSV');
await wide.page.getByText('Columns').click();
await shoot(wide.page, 'columns');
await wide.page.route('**/v1/payments?*', (route) =>
  route.fulfill({
    status: 500,
    contentType: 'application/json',
    headers: { 'request-id': 'req_Qm7Xc2KxWp9RtVb4NzLs8HdY' },
    body: JSON.stringify({
      error: {
        code: 'internal_error',
        message: 'Something went wrong on the server. Include the request ID when you report it.',
        param: null,
      },
    }),
  }),
);
await wide.page.goto(`${demo.url}/dashboard/payments`);
await wide.page.getByRole('alert').first().waitFor();
await shoot(wide.page, 'error');
await wide.page.unroute('**/v1/payments?*');
await wide.page
  .locator('label')
  .filter({ hasText: /^Live$/ })
  .click();
await show(wide.page, '', 'Get started');
await shoot(wide.page, 'home-live-empty');
await wide.page
  .locator('label')
  .filter({ hasText: /^Test$/ })
  .click();
await wide.page.getByText('Test mode: no real money').waitFor();
await show(wide.page, '', 'Volume');
await wide.page.keyboard.press('Control+k');
await wide.page.getByRole('combobox', { name: 'Search' }).fill('order-10');
await wide.page.getByRole('option').filter({ hasText: '$' }).first().waitFor();
await shoot(wide.page, 'palette');
await wide.page.keyboard.press('Escape');
await wide.page.goto(`${demo.url}/dev/webhooks`);
await shoot(wide.page, 'webhook-inbox');

const cookies = await wide.context.cookies();
const dark = stack.use(await visit(browser, demo.url, { viewport: { width: 1360, height: 900 }, colorScheme: 'dark' }));
await dark.context.addCookies(cookies);
await show(dark.page, '', 'Volume');
await shoot(dark.page, 'home-dark');
await show(dark.page, '/customers', 'Kim Reyes');
await shoot(dark.page, 'customers-dark');
await show(dark.page, '/customers/one?reference=C-1007', 'Last payment');
await shoot(dark.page, 'customer-dark');
const arabic = stack.use(await visit(browser, demo.url, { viewport: { width: 1360, height: 900 }, locale: 'ar' }));
await arabic.context.addCookies(cookies);
await show(arabic.page, '/payments', 'CSV');
await shoot(arabic.page, 'payments-arabic');
await arabic.page.getByRole('row').nth(1).getByRole('link').click();
await arabic.page.locator('ol > li').first().waitFor();
await shoot(arabic.page, 'payment-arabic');
await show(arabic.page, '/customers', 'Kim Reyes');
await shoot(arabic.page, 'customers-arabic');
await arabic.page.getByRole('link', { name: 'Kim Reyes' }).click();
await settle(arabic.page, 'C-1042');
await shoot(arabic.page, 'customer-arabic');
await arabic.page.goto(`${demo.url}/dashboard`);
await arabic.page.locator('svg[viewBox^="0 0 1000"]').waitFor();
await shoot(arabic.page, 'home-arabic');
for (const locale of ['de', 'ja', 'hi', 'ru']) {
  const window = stack.use(await visit(browser, demo.url, { viewport: { width: 1360, height: 900 }, locale }));
  await window.context.addCookies(cookies);
  await window.page.goto(`${demo.url}/dashboard`);
  await window.page.locator('svg[viewBox^="0 0 1000"]').waitFor();
  await window.page.waitForFunction(() => document.querySelectorAll('.skeleton').length === 0);
  await shoot(window.page, `home-${locale}`);
}
const phone = stack.use(await visit(browser, demo.url, { phone: true }));
await phone.context.addCookies(cookies);
await show(phone.page, '', 'Volume');
await shoot(phone.page, 'home-phone');
await show(phone.page, '/payments', 'Export CSV');
await shoot(phone.page, 'payments-phone');
await phone.page.getByRole('row').nth(1).getByRole('link').click();
await settle(phone.page, 'Timeline');
await shoot(phone.page, 'payment-phone');
await show(phone.page, '/customers', 'Kim Reyes');
await shoot(phone.page, 'customers-phone');
await phone.page.getByRole('link', { name: 'Nordlicht' }).click();
await settle(phone.page, 'Last payment');
await shoot(phone.page, 'customer-phone');
await show(phone.page, '/settings', 'What customers see');
await shoot(phone.page, 'settings-phone');
console.log(`pictures in ${folder}`);

async function show(page: Page, path: string, text: string): Promise<void> {
  await page.goto(`${demo.url}/dashboard${path}`);
  await settle(page, text);
}

async function settle(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.skeleton').length === 0);
  await page.waitForTimeout(150);
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: false });
}
