import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

const REFUND = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

test('Back leads from every step to the one before, and only then to the shop', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { phone: true });
  const { page } = window;
  const choice = page.getByRole('heading', { name: 'How would you like to pay?' });
  const refund = page.getByLabel('Your BTC address on Bitcoin');
  await page.goto(`${shop.url}/docs`);
  await page.goto(url);
  await page.getByRole('radio', { name: 'BTC' }).check();
  await page.getByRole('button', { name: 'Continue with BTC' }).click();
  await refund.fill(REFUND);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('[data-address]').waitFor();

  await page.goBack();
  await refund.waitFor();
  await page.reload();
  await refund.waitFor();
  await page.goBack();
  await choice.waitFor();
  await page.goForward();
  await refund.waitFor();
  await page.goForward();
  await page.locator('[data-address]').waitFor();

  // Another coin is a step as well.
  await page.getByRole('link', { name: 'Pay with a different coin' }).click();
  await choice.waitFor();
  await page.goBack();
  await page.locator('[data-address]').waitFor();
  for (const step of [refund, choice]) {
    await page.goBack();
    await step.waitFor();
  }
  await page.goBack();
  expect(page.url()).toBe(`${shop.url}/docs`);
  expect(window.incidents).toEqual([]);
});

test('Back after the payment shows that it is paid', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { phone: true });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with USDC' }).click();
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  // What the browser kept is loaded again.
  await page.evaluate(() => history.back());
  await page.waitForURL(/view=choose/);
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(window.incidents).toEqual([]);
});
