import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Visit, isDisabledByPress, overflow, pressAndSee, visit } from './support/browser.ts';
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

const VIEWS = [
  ['home', '', 'Volume'],
  ['payments', '/payments', 'Export CSV'],
  ['transfers', '/transfers', 'Mark as handled'],
  ['links', '/links', 'Fern care workshop'],
  ['wallets', '/wallets', 'Solana takings'],
  ['webhooks', '/webhooks', 'Healthy'],
  ['keys', '/keys', 'sk_test_'],
  ['requests', '/requests', '/v1/checkout/sessions'],
  ['settings', '/settings', 'What customers see'],
] as const;

describe('views', () => {
  test('a payment arrives in the list while one looks at it', async () => {
    const { page } = shop;
    await open(page, '/payments', 'Export CSV');
    const { data: session } = await api('POST', '/v1/checkout/sessions', { amount: '77.77', order_id: 'live-prepend' });
    await page.waitForTimeout(300);
    await api('POST', `/v1/public/checkout/sessions/${session.id}/test`, { action: 'paid' });
    await page.getByRole('row').filter({ hasText: '$77.77' }).filter({ hasText: 'Paid' }).waitFor({ timeout: 15_000 });
  });

  test('filters are in the address and survive going back', async () => {
    const { page } = shop;
    await open(page, '/payments', 'Export CSV');
    await page.getByRole('button', { name: 'Routed', exact: true }).click();
    await page.waitForURL(/route=routed/);
    await page.getByLabel('Status').selectOption('paid');
    await page.waitForURL(/status=paid/);
    expect(await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toMatch(
      /mode=test.*status=paid.*route=routed/,
    );
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('status=paid'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).toMatch(/^\uFEFFid,created_at,paid_at,status/);
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.slice(1).every((line) => line.includes(',routed,'))).toBe(true);
  });

  test('filters are saved as a view under a name, and deleted again', async () => {
    const { page } = shop;
    await open(page, '/payments?route=routed&status=paid', 'Export CSV');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Converted <b>');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.waitForURL((url) => url.search === '');
    await page.reload();
    await page.getByRole('button', { name: 'Converted <b>', exact: true }).click();
    await page.waitForURL(/route=routed/);
    expect(new URL(page.url()).search).toMatch(/status=paid/);
    await page.getByRole('button', { name: 'Delete view Converted <b>' }).click();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await page.getByRole('button', { name: 'Converted <b>', exact: true }).count()).toBe(0);
    // Each filter makes another view.
    await page.getByRole('button', { name: 'Overpaid', exact: true }).click();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Too much');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const saved = page.getByRole('button', { name: 'Too much', exact: true });
    await expect.poll(() => saved.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => saved.getAttribute('aria-pressed')).toBe('false');
    await saved.click();
    await page.getByRole('button', { name: 'Delete view Too much' }).click();
  });

  test('columns are chosen, by keyboard as well, and stay', async () => {
    const { page } = shop;
    await open(page, '/payments', 'Export CSV');
    await page.getByText('Columns').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Net' }).check();
    await page.getByRole('checkbox', { name: 'Order' }).uncheck();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.reload();
    await page.getByRole('columnheader', { name: 'Net' }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Amount',
      'Status',
      'Customer',
      'Paid with',
      'Net',
      'Created',
    ]);
    await page.evaluate(() => localStorage.removeItem('payment-columns'));
  });

  test('the defaults of checkouts are set, and apply to the next one', async () => {
    const { page } = shop;
    await open(page, '/settings', 'Expires after');
    await page.getByLabel('Currency').selectOption('EUR');
    await page.getByLabel('Expires after').selectOption('1800');
    await page.getByRole('radio', { name: 'Selected coins only' }).check();
    for (const box of await page.getByRole('checkbox', { name: / · (?!Base|Solana)/ }).all()) await box.uncheck();
    await saveSettings(page);
    const { data: session } = await api('POST', '/v1/checkout/sessions', { amount: '5.00' });
    expect([
      session.currency,
      (Date.parse(session.expires_at) - Date.parse(session.created_at)) / 1000,
      session.accepted_assets,
    ]).toEqual(['EUR', 1_800, ['SOL_SOLANA', 'USDC_SOLANA', 'ETH_BASE', 'USDC_BASE', 'USDT_SOLANA']]);
    await page.reload();
    await page.getByLabel('Currency').selectOption('');
    await page.getByLabel('Expires after').selectOption('');
    await page.getByRole('radio', { name: 'All supported coins' }).check();
    await saveSettings(page);
  });

  test('how the checkout looks is chosen, shown beside it, and so for the next customer', async () => {
    const { page } = shop;
    await open(page, '/settings', 'What customers see');
    const card = page.locator('section').filter({ hasText: 'What customers see' });
    await card.getByLabel('Checkout theme').selectOption('dark');
    await card.getByLabel('Corners').selectOption('square');
    const preview = page.frameLocator('iframe[title="Preview of your checkout"]');
    await preview.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    const pay = preview.locator('button.primary');
    await expect.poll(() => pay.evaluate((button) => getComputedStyle(button).borderRadius)).toBe('0px');
    await saveSettings(page);
    expect((await api('GET', '/v1/account')).data.brand).toMatchObject({ theme: 'dark', corners: 'square' });

    await card.getByLabel('Checkout theme').selectOption('');
    await card.getByLabel('Corners').selectOption('round');
    await saveSettings(page);
    await expect
      .poll(async () => (await api('GET', '/v1/account')).data.brand)
      .toMatchObject({ theme: null, corners: 'round' });
  });

  test('everything is reached by keyboard: places, things to make, the appearance', async () => {
    const { page } = shop;
    await open(page, '/payments', 'Export CSV');
    await page.locator('h1').click();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill('create a pay');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create a payment link' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('dark');
    await page.keyboard.press('Enter');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.evaluate(() => localStorage.removeItem('theme'));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('api');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.title()).toBe('API keys · Quittance');
  });

  test('a short payment is accepted, and its timeline says so', async () => {
    const { page } = shop;
    await open(page, '/payments?status=refund_required', 'Needs a decision');
    await page.getByRole('link', { name: '$31.00' }).click();
    await page.getByText('Underpaid: the customer sent less').waitFor();
    await page.getByRole('button', { name: 'Accept payment' }).click();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('You accepted it as it was.', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Underpaid $15.50' }).waitFor();
  });

  test('an unexpected transfer is handled', async () => {
    const { page } = shop;
    await open(page, '/transfers', 'Mark as handled');
    await page.getByRole('button', { name: 'Assign' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search by order number or payment ID').fill('pay_nothing');
    await dialog.getByText('No payment fits. Search for its order number.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Assign' }).isDisabled()).toBe(true);
    // The first one clears the search field.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Mark as handled' }).first().click();
    await page.getByText('All caught up').waitFor();
  });

  test('an address is judged while it is typed, saved, and warned of when it is saved again', async () => {
    const { page } = shop;
    await open(page, '/wallets', 'Solana takings');
    await page.getByRole('button', { name: 'Add a wallet' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070d');
    await dialog.getByText(/checksum/i).waitFor();
    expect(await dialog.getByRole('button', { name: 'Save wallet' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
    await dialog.getByLabel('Name (optional)').fill('<img src=x onerror=alert(1)>');
    await dialog.getByRole('button', { name: 'Save wallet' }).click();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await page.getByRole('button', { name: 'Add a wallet' }).click();
    await dialog.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
    await dialog.getByText('You’ve already saved this address').waitFor();
  });

  test('a link is made with its preview, shared as a QR code and disabled', async () => {
    const { page } = shop;
    await open(page, '/links', 'Fern care workshop');
    await page.getByRole('button', { name: 'Create a link' }).click();
    await page.getByLabel('Description').fill('A book about moss');
    await page.getByLabel('Amount').fill('29.5');
    await page.getByText('$29.50').waitFor();
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor();
    const [svg] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'SVG' }).click()]);
    expect(svg.suggestedFilename()).toMatch(/^pl_.*\.svg$/);
    const [png] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()]);
    expect(
      readFileSync(await png.path())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    await page.keyboard.press('Escape');
    const row = page.getByRole('row').filter({ hasText: 'A book about moss' });
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    // Its code would open nothing, which the dialog says before it is printed.
    await row.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('dialog').getByText('Disabled').waitFor();
    await page.keyboard.press('Escape');
  });

  test('a webhook is tested, its attempts are shown with their signature, and it is sent again', async () => {
    const { page } = shop;
    await open(page, '/webhooks', 'Healthy');
    await page.getByRole('link', { name: /dev\/webhooks\/receive/ }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Delivered: the endpoint returned 200.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'payment.paid' }).first().click();
    await page.getByText('Recomputed signature').first().click();
    await page.getByText('service-signature').first().waitFor();
    await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
    await page.getByText('Manual').waitFor({ timeout: 15_000 });
  });

  test('a key is shown once, works, is rotated and deleted', async () => {
    const { page } = shop;
    await open(page, '/keys', 'sk_test_');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name (optional)').fill('Till');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const first = await secretShown(page);
    expect((await fetch(`${demo.url}/v1/payments`, { headers: { authorization: `Bearer ${first}` } })).status).toBe(
      200,
    );
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Till' });
    await row.getByRole('button', { name: 'Rotate' }).click();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/api-keys/*/rotate', async (route) => {
      await held;
      await route.continue();
    });
    // The first secret may have stopped already, so the dialog stays from the press until it shows the second one.
    expect(await isDisabledByPress(page.getByRole('button', { name: 'Rotate now' }))).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    release();
    const second = await secretShown(page);
    expect(second).not.toBe(first);
    expect((await fetch(`${demo.url}/v1/payments`, { headers: { authorization: `Bearer ${first}` } })).status).toBe(
      401,
    );
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    expect(await page.content()).not.toContain(second);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('the secret of a webhook is another one after each rotation', async () => {
    const { page } = shop;
    await open(page, '/webhooks', 'Healthy');
    await page.getByRole('link', { name: /dev\/webhooks\/receive/ }).click();
    const rotated = async () => {
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
      const secret = await secretShown(page, /^whsec_/);
      await page.getByRole('button', { name: 'I’ve saved it' }).click();
      return secret;
    };
    const first = await rotated();
    expect(await page.content()).not.toContain(first);
    expect(await rotated()).not.toBe(first);
  });

  test('live mode is another world, and says so', async () => {
    const { page } = shop;
    await open(page, '/payments', 'Export CSV');
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('No payments yet').waitFor();
    expect(await page.getByText('Test mode: no real money').count()).toBe(0);
    await page.getByText('Test', { exact: true }).click();
    await page.getByText('Test mode: no real money').waitFor();
  });

  test('nothing ran that should not have', () => {
    expect(shop.incidents).toEqual([]);
  });
});

describe('in every look', () => {
  test('on a phone nothing is wider than the screen', async () => {
    await using window = await visit(browser, demo.url, { phone: true });
    await window.context.addCookies(await shop.context.cookies());
    for (const [name, path] of VIEWS) {
      await window.page.goto(`${demo.url}/dashboard${path}`);
      await window.page.locator('h1').first().waitFor();
      await window.page.waitForFunction(() => document.querySelectorAll('.skeleton').length === 0);
      expect([name, await overflow(window.page)]).toEqual([name, 0]);
    }
  });

  test('the initial JavaScript stays below 130 kB', () => {
    const folder = new URL('../web/dist/dashboard/', import.meta.url);
    const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Record<
      string,
      { file: string; isEntry?: boolean; imports?: string[] }
    >;
    const initial = new Set<string>();
    const add = (key: string) => {
      const chunk = manifest[key];
      if (!chunk || initial.has(chunk.file)) return;
      initial.add(chunk.file);
      chunk.imports?.forEach(add);
    };
    Object.entries(manifest)
      .filter(([, { isEntry }]) => isEntry)
      .forEach(([key]) => add(key));
    const kilobytes =
      [...initial].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, folder))).length, 0) / 1000;
    const all =
      readdirSync(fileURLToPath(new URL('assets', folder)))
        .filter((file) => file.endsWith('.js'))
        .reduce((sum, file) => sum + gzipSync(readFileSync(new URL(`assets/${file}`, folder))).length, 0) / 1000;
    console.log(
      `dashboard: ${kilobytes.toFixed(1)} kB of JavaScript to begin with, ${all.toFixed(1)} kB in all (gzip)`,
    );
    expect(kilobytes).toBeLessThan(130);
  });
});

async function open(page: Page, path: string, text: string): Promise<void> {
  await page.goto(`${demo.url}/dashboard${path}`);
  await page.getByText(text).first().waitFor();
}

async function saveSettings(page: Page): Promise<void> {
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await pressAndSee(() => bar.getByRole('button', { name: 'Save' }).click(), bar.getByText('Saved', { exact: true }));
}

async function secretShown(page: Page, beginning = /^sk_test_/): Promise<string> {
  return (await page.getByRole('dialog').getByText(beginning).first().textContent()) ?? '';
}

async function api(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(demo.url + path, {
    method,
    headers: {
      ...(!path.startsWith('/v1/public') && { authorization: `Bearer ${demo.testKey}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}
