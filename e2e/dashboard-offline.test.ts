import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Visit, visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let shop: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  shop = await visit(browser, demo.url, { serviceWorkers: 'allow' });
  await shop.page.goto(demo.dashboardUrl);
  await shop.page.getByRole('heading', { name: 'Home' }).waitFor();
  await shop.page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
});

test('opened while the network is away, the dashboard says so, and Try again opens it where it was', async () => {
  const { page, context } = shop;
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByText('What customers see').waitFor();
  await context.setOffline(true);
  await page.reload();
  await page.getByRole('heading', { name: 'Can’t reach the server' }).waitFor();
  const again = page.getByRole('link', { name: 'Try again' });
  await again.click();
  await again.waitFor();
  await context.setOffline(false);
  await again.click();
  await page.getByText('What customers see').waitFor();
  expect(shop.incidents).toEqual([]);
});

test('what is asked for while the network is away fails at once and says so, and is not done later', async () => {
  const { page, context } = shop;
  await page.goto(`${demo.url}/dashboard/keys?new=true`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name (optional)').fill('made offline');
  await context.setOffline(true);
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByRole('alert').filter({ hasText: 'Can’t reach the server.' }).waitFor();
  await context.setOffline(false);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Rotate' }).first().waitFor();
  expect(await page.getByText('made offline').count()).toBe(0);
});

test('its worker is the same in each language, and caches nothing', async () => {
  const { page } = shop;
  await page.evaluate(() => localStorage.setItem('locale', 'ar'));
  await page.goto(`${demo.url}/dashboard`);
  await page.getByRole('heading', { name: 'الرئيسية' }).waitFor();
  const workers = () =>
    page.evaluate(async () => {
      const { active, waiting, installing } = (await navigator.serviceWorker.getRegistration()) ?? {};
      return [active, waiting, installing].map((worker) => worker && new URL(worker.scriptURL).pathname);
    });
  expect(await workers()).toEqual(['/dashboard/offline.js', null, null]);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
});

test('a download passes through it', async () => {
  const { page } = shop;
  await page.goto(`${demo.url}/dashboard/payments`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('a[href*="payments.csv"]').click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toMatch(/^\uFEFF?id,/);
});

test('the checkout and the rest of the service are left to the browser', async () => {
  const { page } = shop;
  await page.goto(demo.checkoutUrl);
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
});

test('while the server is stopped, every place of the dashboard says so', async () => {
  const { page } = shop;
  process.kill(demo.pid, 'SIGTERM');
  // Until its process is gone, it may still answer on a connection that the browser kept.
  await expect.poll(() => isRunning(demo.pid)).toBe(false);
  for (const place of ['/dashboard', '/dashboard/payments?status=paid']) {
    await page.goto(demo.url + place);
    await page.getByRole('heading', { name: 'تعذّر الوصول إلى الخادم' }).waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('h1') as Element).direction)).toBe('rtl');
    expect(await page.locator('html').getAttribute('lang')).toBe('ar');
  }
  expect(shop.incidents).toEqual([]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
