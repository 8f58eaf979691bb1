import { expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

const colorOf = (page: Page, selector: string, property: 'backgroundColor' | 'color' | 'borderRadius') =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element)[name], property);

test("every page has the merchant's colors, corners and theme, and printed pages are always white", async () => {
  await shop.account({
    brand: { accent_color: '#FFFF00', background_color: '#123456', theme: 'dark', corners: 'square' },
  });
  const { checkout_url: url, id } = await shop.session();
  const link = await shop.link();
  await using window = await visit(browser, shop.url, { colorScheme: 'light' });
  const { page } = window;
  for (const address of [link.url, url]) {
    await page.goto(address);
    expect(await colorOf(page, '.card', 'backgroundColor'), address).toBe('rgb(25, 28, 36)');
    expect(await colorOf(page, '.primary', 'backgroundColor'), address).toBe('rgb(255, 255, 0)');
    // Black is readable on yellow.
    expect(await colorOf(page, '.primary', 'color'), address).toBe('rgb(0, 0, 0)');
    expect(await colorOf(page, '.card', 'borderRadius'), address).toBe('0px');
  }
  // A checkout that sees itself paid redirects automatically, which must not happen here.
  await page.goto('about:blank');
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'paid' });
  await page.goto(`${shop.url}/receipt/${id}`);
  await page.emulateMedia({ media: 'print' });
  expect(await colorOf(page, '.card', 'backgroundColor')).toBe('rgb(255, 255, 255)');
  expect(await colorOf(page, 'h2', 'color')).toBe('rgb(0, 0, 0)');
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  expect(window.incidents).toEqual([]);
});

test("a merchant's light theme applies in a dark browser; without a theme the visitor's preference does", async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { colorScheme: 'dark' });
  await shop.account({ brand: { accent_color: null, background_color: null, theme: 'light', corners: null } });
  await window.page.goto(url);
  expect(await colorOf(window.page, '.card', 'backgroundColor')).toBe('rgb(255, 255, 255)');
  await shop.account({ brand: { theme: null } });
  await window.page.goto(url);
  expect(await colorOf(window.page, '.card', 'backgroundColor')).toBe('rgb(25, 28, 36)');
  expect(await colorOf(window.page, '.card', 'borderRadius')).toBe('20px');
});

test('an invalid look is not served', async () => {
  for (const name of [
    'red-none-none-none.css',
    'ff0000-none.css',
    'ff0000-none-blue-none.css',
    '..%2f..%2fx.css',
    'ff0000-none-dark-round.css;x',
  ]) {
    expect((await fetch(`${shop.url}/assets/brand/${name}`)).status, name).toBe(404);
  }
});
