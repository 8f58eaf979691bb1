import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { beforeStories } from './support/stories.ts';

let shop: EthereumShop;
let browser: Browser;
beforeStories(openEthereumShop, (...opened) => void ([shop, browser] = opened));

test('without a script everything is there: choosing, address, amount, QR code, progress, receipt', async () => {
  const { checkout_url: url } = await shop.session({ success_url: 'https://fern-and-fog.example/thanks' });
  await using window = await visit(browser, shop.url, { javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();

  expect(await page.locator('[data-address]').textContent()).toBe(shop.wallet);
  expect(await page.locator('.code .qr').first().getAttribute('aria-label')).toContain('QR code of the address');
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
  await shop.send((await page.locator('[data-amount]').textContent()) ?? '');

  // The page reloads every ten seconds.
  await page.getByRole('heading', { name: 'Paid' }).waitFor({ timeout: 60_000 });
  expect(await page.locator('[data-return]').getAttribute('href')).toBe('https://fern-and-fog.example/thanks');
  await page.getByRole('link', { name: 'Receipt' }).click();
  await page.getByText('Fern & Fog', { exact: true }).first().waitFor();
  expect(window.incidents).toEqual([]);
});

test('without a script a wrong hash is answered on the page, with what was typed kept', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.locator('summary').getByText('Already sent?').click();
  await page.getByLabel('Transaction hash').fill('0x1234');
  await page.getByRole('button', { name: 'Find payment' }).click();
  await page.getByRole('alert').filter({ hasText: 'That isn’t a valid transaction hash for this network.' }).waitFor();
  expect(await page.getByLabel('Transaction hash').inputValue()).toBe('0x1234');
  await page.getByLabel('Transaction hash').fill(`0x${'ab'.repeat(32)}`);
  await page.getByRole('button', { name: 'Find payment' }).click();
  await page.getByText('we’re looking for it').waitFor();
});
