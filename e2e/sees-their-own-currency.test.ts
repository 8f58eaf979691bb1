import { expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { type VisitOptions, visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

const RATES = 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30,TRX=0.15,EUR=1.08,GBP=1.25,CHF=1.1';
let shop: Shop;
let browser: Browser;
beforeStories(
  () => openTestShop({ PRICES_FIXED: RATES }),
  (...opened) => void ([shop, browser] = opened),
);

const NARROW = { phone: true, viewport: { width: 360, height: 740 } };

test.each<[name: string, locale: string, text: string, options?: VisitOptions]>([
  ['british', 'en-GB', '≈ £987.60'],
  ['british-dark', 'en-GB', '≈ £987.60', { colorScheme: 'dark' }],
  ['swiss', 'de-CH', '≈ 1.122 CHF'],
  ['arabic', 'ar-AE', '≈ 4,534 د.إ.', { colorScheme: 'dark' }],
])('on a phone, a visitor sees what the price is about in their currency (%s)', async (name, locale, text, options) => {
  const order = { amount: '1234.50', description: 'Twenty ferns' };
  for (const { page: kind, url } of [
    { page: 'checkout', url: (await shop.session(order)).checkout_url },
    { page: 'link', url: (await shop.link(order)).url },
  ]) {
    await using window = await visit(browser, shop.url, { ...NARROW, locale, ...options });
    await using plain = await visit(browser, shop.url, { ...NARROW, locale, javaScriptEnabled: false, ...options });
    for (const { page } of [window, plain]) {
      await page.goto(url);
      expect(await estimateOn(page)).toBe(text);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
    // Nothing moves when the page comes to life.
    expect(await boxes(window.page)).toEqual(await boxes(plain.page));
    if (process.env.SHOTS) await window.page.screenshot({ path: `${process.env.SHOTS}/${kind}-${name}.png` });
    expect(window.incidents).toEqual([]);
  }
});

test('the estimate stays while the customer pays, and is gone once the price is paid', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { locale: 'en-GB' });
  const { page } = window;
  await page.goto(url);
  expect(await estimateOn(page)).toBe('≈ £39.20');
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/desktop.png` });
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByRole('button', { name: 'Pay exact amount' }).waitFor();
  expect(await estimateOn(page)).toBe('≈ £39.20');
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(await page.locator('.price').textContent()).toContain('49.00 USD');
  expect(await page.locator('.price p').count()).toBe(0);
  await page.getByRole('link', { name: 'Receipt' }).click();
  await page.getByRole('button', { name: 'Print' }).waitFor();
  expect(await page.locator('.price p').count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

/** The estimate as it is seen, without signs of direction. */
async function estimateOn(page: Page): Promise<string> {
  const text = (await page.locator('.price p').textContent()) ?? '';
  return text
    .slice(text.indexOf('≈'))
    .replace(/[\u200e\u200f]/g, '')
    .replaceAll('\u00a0', ' ');
}

/** Where the price, the estimate and what follows stand. */
function boxes(page: Page): Promise<unknown> {
  return Promise.all(
    ['.price', '.price .total', '.price p', 'main'].map(async (place) => {
      const box = await page.locator(place).boundingBox();
      return box && { place, x: box.x, y: box.y };
    }),
  );
}
