import { describe, expect, test } from 'vitest';
import type { Browser, Locator, Page } from 'playwright-core';
import { visit, type Visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let shop: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  await demo.seeded();
  shop = await visit(browser, demo.url);
  await shop.page.goto(demo.dashboardUrl);
  await shop.page.getByRole('heading', { name: 'Home' }).waitFor();
});

interface Payment {
  id: string;
  amount: string;
  failure_reason: string | null;
  actual_output: string | null;
  order_id: string | null;
  session: string | null;
}

const REFUND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

async function payments(query: string): Promise<Payment[]> {
  const response = await fetch(`${demo.url}/v1/payments?limit=100&${query}`, {
    headers: { authorization: `Bearer ${demo.testKey}` },
  });
  return ((await response.json()) as { data: Payment[] }).data;
}

async function post(path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${demo.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: { id: string } }).data;
}

async function waiting(reason: string): Promise<Payment> {
  const found = (await payments('status=refund_required')).find((one) => one.failure_reason === reason);
  if (!found) throw new Error(`the demo has a payment that is ${reason}`);
  return found;
}

/** The value beside a name in a list of facts. */
function fact(page: Page, name: string): Locator {
  return page.locator('dl > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).locator('dd');
}

describe('a payment page', () => {
  test('calls nothing net while half of the money is there, and explains the exact amount', async () => {
    const { page } = shop;
    const payment = await waiting('underpaid');
    await page.goto(`${demo.url}/dashboard/payments/${payment.id}`);
    await page.getByRole('heading', { name: 'Amounts' }).waitFor();
    expect(await fact(page, 'Net').textContent()).toBe('–');
    expect(await fact(page, 'Service fee').textContent()).toBe('–');
    await expect.poll(() => fact(page, 'Expected').textContent()).toMatch(/^\d+\.\d{3,6} USDC/);
    const asked = /^([\d.]+) USDC/.exec((await fact(page, 'Expected').textContent()) ?? '')?.[1];
    await page.getByText(`The customer was asked for ${asked} USDC`).waitFor();
    await page.getByText('Why this amount?').click();
    await page.getByText('They aren’t a fee, and they arrive in your wallet.').waitFor();
    expect(await page.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(1);
    expect(shop.incidents).toEqual([]);
  });

  test('names no coin and offers no refund where nothing arrived', async () => {
    const { page } = shop;
    const [expired] = await payments('status=expired&route=direct');
    await page.goto(`${demo.url}/dashboard/payments/${expired?.id}`);
    await page.getByText('Expired', { exact: true }).first().waitFor();
    expect(await fact(page, 'Paid with').textContent()).toBe('–');
    expect(await page.getByRole('button', { name: /Refund|Record as resolved/ }).count()).toBe(0);
    expect(shop.incidents).toEqual([]);
  });

  test.each([
    ['paid_late', 'Accept payment', 'Refund'],
    ['underpaid', 'Refund', 'Accept payment'],
  ])('leads with what most merchants decide where it is %s', async (reason, first, second) => {
    const { page } = shop;
    const payment = await waiting(reason);
    await page.goto(`${demo.url}/dashboard/payments/${payment.id}`);
    const classes = (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('class');
    expect(await classes(first)).toContain('bg-accent');
    expect(await classes(second)).not.toContain('bg-accent');
    const isLate = reason === 'paid_late';
    expect(await page.getByRole('heading', { level: 1 }).getByText('Late').count()).toBe(isLate ? 1 : 0);
    await page.locator('ol > li').first().waitFor();
    await page.getByRole('button', { name: 'Accept payment' }).click();
    await page.getByText(isLate ? /^All of it arrived, .+ late: [\d.]+ USDC, worth \$/ : /^You received /).waitFor();
  });

  test('says what refunds take of money before it is accepted, and that it cannot be once they take all of it', async () => {
    const { page } = shop;
    const { id: session } = await post('/v1/checkout/sessions', { amount: '31.00', currency: 'USD' });
    const paid = { pay_asset: 'USDC', pay_network: 'base', outcome: 'refund_required' };
    await post(`/v1/test_helpers/checkout/sessions/${session}/pay`, paid);
    const payment = (await payments('status=refund_required')).find((one) => one.session === session);
    const giveBack = (body: object) => post(`/v1/payments/${payment?.id}/refunds`, { to: REFUND, ...body });
    await giveBack({ amount: '5.00', tx_hash: `0x${'5c'.repeat(32)}` });
    await giveBack({ amount: '2.00' });
    await page.goto(`${demo.url}/dashboard/payments/${payment?.id}`);
    await page.getByText('Planned', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Accept payment' }).click();
    await page
      .getByText(
        /^You received .+ \$5\.00 of it was refunded\. \$2\.00 is already planned to be refunded, or .+\. Once /,
      )
      .waitFor();
    await giveBack({});
    await page.reload();
    await page.getByText('Refunds take all of this money, so the payment can’t be accepted.').waitFor();
    expect(await page.getByRole('button', { name: 'Accept payment' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('link', { name: 'Refunds to send' }).waitFor();
    expect(await page.getByRole('link', { name: 'Refunds', exact: true }).getAttribute('title')).toMatch(
      /^Needs attention: \d/,
    );
  });

  test('names the provider that holds stuck money, and never asks the merchant to send it', async () => {
    const { page } = shop;
    const payment = await waiting('route_failed');
    expect(payment.actual_output).toBeNull();
    await page.goto(`${demo.url}/dashboard/payments/${payment.id}`);
    await page.getByText(/^Sandbox holds [\d.]+ \w+ on \w+\.$/).waitFor();
    await page.getByText('Ask Sandbox about this order.').waitFor();
    expect(await fact(page, 'Provider’s order').textContent()).toMatch(/^ro_/);
    expect(await fact(page, 'Received').textContent()).toBe('–');
    expect(await page.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(0);

    await page.getByRole('button', { name: 'Record as resolved' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing has reached your wallet, so there is nothing to send back.').waitFor();
    expect(await dialog.getByLabel(/^To \(/).count()).toBe(0);
    expect(await dialog.getByText('The funds are in your wallet').count()).toBe(0);
    await dialog.getByLabel('Reason (optional)').fill('Sandbox returned it');
    await dialog.getByRole('button', { name: 'Record as resolved' }).click();
    await page.getByText('A refund was recorded').waitFor();
    expect(await fact(page, 'Net').textContent()).toBe('–');
    // The reason stays on the payment as its history, and the page no longer says that anyone holds the money.
    expect((await payments('status=refunded')).find(({ id }) => id === payment.id)?.failure_reason).toBe(
      'route_failed',
    );
    await page.reload();
    await page.getByText('A refund was recorded').waitFor();
    expect(await page.getByText('Sandbox holds').count()).toBe(0);
    expect(await page.getByText(/conversion (provider|failed)/i).count()).toBe(0);
  });

  test('warns of no conversion that goes well, and says in one line where the money is', async () => {
    const { page } = shop;
    const [routing] = await payments('status=routing');
    await page.goto(`${demo.url}/dashboard/payments/${routing?.id}`);
    await page.getByText(/^Sandbox holds .+ on \w+\.$/).waitFor();
    expect(await page.getByText('Ask Sandbox about this order.').count()).toBe(0);
    expect(await page.getByText('Get help from Sandbox').count()).toBe(0);
  });

  test('that is open says who holds the money as soon as that changes', async () => {
    const { page } = shop;
    const session = await post('/v1/checkout/sessions', { amount: '31.00', currency: 'USD' });
    const choice = { pay_asset: 'ETH', pay_network: 'arbitrum', refund_address: REFUND };
    await post(`/v1/public/checkout/sessions/${session.id}/pay`, choice);
    const payment = (await payments('status=pending')).find((one) => one.session === session.id);
    await page.goto(`${demo.url}/dashboard/payments/${payment?.id}`);
    await page.getByRole('heading', { name: 'Amounts' }).waitFor();
    expect(await page.getByText('Sandbox holds').count()).toBe(0);
    await post(`/v1/public/checkout/sessions/${session.id}/test`, { action: 'refund_required' });
    await page.getByText(/^Sandbox holds [\d.]+ ETH on Arbitrum\.$/).waitFor();
  });
});

test('a transfer is assigned to a payment that fits, and nothing is chosen beforehand', async () => {
  const { page } = shop;
  await page.goto(`${demo.url}/dashboard/transfers`);
  await page.getByRole('button', { name: 'Assign' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Search by order number or payment ID').waitFor();
  const assign = dialog.getByRole('button', { name: 'Assign' });
  expect(await assign.isDisabled()).toBe(true);
  expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0);

  const [paid] = await payments('status=paid&route=direct');
  await dialog.getByLabel('Search by order number or payment ID').fill(paid?.id ?? '');
  await dialog.getByText('Accepts no more transfers').waitFor();
  expect(await dialog.getByRole('radio').isDisabled()).toBe(true);
  expect(await assign.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
});

test('the export is not offered while a search shows other payments than it would contain', async () => {
  const { page } = shop;
  const payment = await waiting('underpaid');
  await page.goto(`${demo.url}/dashboard/payments?status=refund_required`);
  const link = page.getByRole('link', { name: 'Export CSV' });
  expect(await link.getAttribute('href')).toContain('status=refund_required');
  await page.getByLabel('Search payments').fill(payment.id);
  await page.getByText('Clear the search to export.').waitFor();
  expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true);
  expect(await link.count()).toBe(0);
  await page.getByLabel('Search payments').fill('');
  await link.waitFor();
});

test('live mode’s first steps are not ticked by test wallets', async () => {
  await using window = await visit(browser, demo.url, {});
  await window.context.addCookies(await shop.context.cookies());
  await window.context.addInitScript(() => localStorage.setItem('mode', 'live'));
  const { page } = window;
  await page.goto(`${demo.url}/dashboard`);
  const steps = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /payout wallet/ }) });
  await steps.getByText('Where customers’ payments are sent directly.').waitFor();
  await page.getByText('Receive a live payment').waitFor();
});

test('the settings preview is the real checkout, with its own colors until others are chosen', async () => {
  const { page } = shop;
  await page.goto(`${demo.url}/dashboard/settings`);
  const preview = page.frameLocator('iframe[title="Preview of your checkout"]');
  const button = preview.getByRole('button', { name: 'Continue with USDC on Base', includeHidden: true });
  const color = () => button.evaluate((element) => getComputedStyle(element).backgroundColor);
  // The preview is a page in a frame, which loads while the test goes on.
  await expect.poll(color, { timeout: 15_000 }).toBe('rgb(31, 94, 255)');
  await page.getByLabel('Accent color', { exact: true }).fill('#0b6e4f');
  await page.getByLabel('Name', { exact: true }).first().fill('Moss <b>& Stone</b>');
  await preview.getByText('Moss <b>& Stone</b>', { exact: true }).first().waitFor({ state: 'attached' });
  await expect.poll(color, { timeout: 15_000 }).toBe('rgb(11, 110, 79)');
  expect(shop.incidents).toEqual([]);
});
