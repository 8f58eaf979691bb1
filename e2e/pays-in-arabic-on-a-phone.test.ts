import { expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import ar from '../web/checkout/i18n/ar.ts';
import { visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { beforeStories } from './support/stories.ts';

let shop: EthereumShop;
let browser: Browser;
beforeStories(openEthereumShop, (...opened) => void ([shop, browser] = opened));

const PHONE = { phone: true, locale: 'ar-AE', viewport: { width: 360, height: 740 } };

test('on a phone set to Arabic everything runs from right to left, and what machines read does not', async () => {
  const { checkout_url: url } = await shop.session({
    currency: 'AED',
    amount: '1234.50',
    description: 'Two ferns (نبتتان)',
    line_items: [{ name: 'Fern', quantity: 2, amount: '617.25' }],
  });
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  await page.goto(url);
  expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
    'ar',
    'rtl',
  ]);
  expect(await page.locator('.total').textContent()).toBe('1,234.50 AED');
  await expectFits(page);

  await page.locator('form[data-do=choose] .primary').click();
  await page.getByRole('heading', { level: 2 }).waitFor();
  const address = page.locator('[data-address]');
  expect(await address.textContent()).toBe(shop.wallet);
  // Its first characters are at the left of the first line, whatever the direction of the page.
  const [first, second] = await Promise.all([0, 1].map((at) => address.locator('> span').nth(at).boundingBox()));
  expect(first!.x).toBeLessThan(second!.x);
  for (const value of await page.locator('bdi.copyable-value').all())
    expect(await value.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
  // The radio buttons and the labels begin at the right.
  const label = (await page.locator('.copyable-label').first().boundingBox())!;
  const box = (await page.locator('.copyable').first().boundingBox())!;
  expect(label.x + label.width).toBeCloseTo(box.x + box.width, 0);
  // The code is not mirrored: its three corners are top left, top right, bottom left.
  expect(await page.locator('.code > .qr').evaluate((code) => getComputedStyle(code).transform)).toBe('none');
  await expectFits(page);
  await expectReachable(page);

  await page.getByRole('button', { name: ar.copy_amount }).click();
  const amount = await page.evaluate(() => navigator.clipboard.readText());
  expect(amount).toMatch(/^\d+\.\d+$/);
  await shop.send(amount);
  await page.getByRole('heading', { name: ar.paid_title }).waitFor();
  await expectFits(page);
  await page.getByRole('link', { name: ar.receipt }).click();
  await page.getByRole('button', { name: ar.print }).waitFor();
  await expectFits(page);
  expect(window.incidents).toEqual([]);
});

test('the payment opens in a wallet app, and the page in the browsers of wallets', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  await page.goto(url);
  await page.locator('form[data-do=choose] .primary').click();
  const { payment } = await (async () => {
    await page.locator('[data-address]').waitFor();
    return shop.look(id);
  })();
  expect(await page.getByRole('link', { name: ar.open_wallet }).getAttribute('href')).toBe(payment.uri);
  expect(await page.getByRole('link', { name: 'MetaMask' }).getAttribute('href')).toBe(
    `https://link.metamask.io/dapp/${url.replace('http://', '')}`,
  );
  // On a phone there is no offer to continue on the phone.
  expect(await page.getByText(ar.phone_title).isVisible()).toBe(false);
  expect(window.incidents).toEqual([]);
});

test("inside a wallet's own browser the wallet pays, in Arabic, and deep links are out of the way", async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.locator('form[data-do=choose] .primary').click();
  const pay = page.getByRole('button', { name: /Fern Wallet/ });
  await pay.waitFor();
  expect(await page.getByRole('link', { name: 'MetaMask' }).count()).toBe(0);
  wallet.answer('decline');
  await pay.click();
  await page.getByRole('alert').filter({ hasText: ar.wallet_rejected }).waitFor();
  await pay.click();
  await page.getByRole('heading', { name: ar.paid_title }).waitFor();
  expect(window.incidents).toEqual([]);
});

test('a language is chosen on the page, stays chosen, and an amount looks the same in each', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  await page.goto(url);
  await page.locator('.languages summary').click();
  await page.getByRole('link', { name: 'اردو' }).click();
  await page.waitForFunction(() => document.documentElement.lang === 'ur');
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  await page.goto(url);
  expect(await page.locator('html').getAttribute('lang')).toBe('ur');
  await page.locator('.languages summary').click();
  await page.getByRole('link', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  expect(await page.locator('.total').textContent()).toBe('49.00 USD');
});

/** Nothing is wider than the screen. */
async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
}

/** Touch targets are large enough. */
async function expectReachable(page: Page): Promise<void> {
  const small = await page
    .locator('main')
    .locator('button:visible, a.button:visible, summary:visible')
    .evaluateAll((places) =>
      places.filter((place) => place.getBoundingClientRect().height < 43.5).map((place) => place.textContent),
    );
  expect(small).toEqual([]);
}
