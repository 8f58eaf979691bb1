import { startProject } from '@quittance/server/testing/guides';
import { createServer } from 'node:net';
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

test('a page of one’s own shows the ways to pay, the exact amount and the end, as the guide prints it', async () => {
  const port = await freePort();
  await using project = await startProject({ url: shop.url, key: shop.key, port });
  await project.serve('own-page.mjs').line(/localhost/);
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));

  await page.goto(`http://localhost:${port}/`);
  await page.getByRole('heading', { name: '49.00 USD to Fern & Fog' }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Send exactly').waitFor();
  const id = new URL(page.url()).hash.slice(1);
  const { payment } = await shop.look(id);
  expect(await page.locator('#exact').textContent()).toBe(`${payment.amount} USDC on base`);
  expect(await page.locator('#address').textContent()).toBe(payment.address);
  expect(await page.locator('#wallet').getAttribute('href')).toBe(payment.uri);

  expect(await project.node('pay.mjs', id)).toMatch(/^paid /);
  await page.locator('#status', { hasText: 'paid' }).waitFor();
  expect(await page.getByText('Send exactly').isVisible()).toBe(false);
  expect(errors).toEqual([]);
  await page.close();
});

test('a page of the merchant says which conversions are not available', async () => {
  const port = await freePort();
  await using project = await startProject({ url: shop.url, key: shop.key, port });
  await project.serve('own-page.mjs').line(/localhost/);
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  await page.getByRole('combobox').selectOption({ label: 'BTC on bitcoin (converted)' });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').filter({ hasText: 'the address that a failed conversion is returned to' }).waitFor();

  await page.getByLabel('Your address, for refunds').fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('#exact', { hasText: 'BTC on bitcoin' }).waitFor();
  await page.close();
});

test("the checkout opens over the merchant's page and reports that it was paid, as the guide shows", async () => {
  const port = await freePort();
  await shop.account({ frame_parents: [`http://localhost:${port}`] });
  await using project = await startProject({ url: shop.url, key: shop.key, port });
  await project.serve('shop.mjs').line(/localhost/);
  const page = await browser.newPage();

  await page.goto(`http://localhost:${port}/`);
  await page.getByRole('button', { name: 'Buy two ferns' }).click();
  await page.frameLocator('iframe[title="Checkout"]').getByRole('button', { name: 'Pay exact amount' }).click();
  await page.waitForURL('**/thanks');
  await page.close();
});

test('a page that is not on the list shows nothing', async () => {
  const port = await freePort();
  await shop.account({ frame_parents: [] });
  await using project = await startProject({ url: shop.url, key: shop.key, port });
  await project.serve('shop.mjs').line(/localhost/);
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  const refused = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
  await page.getByRole('button', { name: 'Buy two ferns' }).click();
  await refused;
  expect(
    await page.frameLocator('iframe[title="Checkout"]').getByRole('button', { name: 'Pay exact amount' }).count(),
  ).toBe(0);
  await page.close();
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
