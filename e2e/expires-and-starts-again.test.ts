import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

test('a checkout that ran out of time leads back to its link, which opens another', async () => {
  const link = await shop.link();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(link.url);
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  const first = page.url();
  await page.getByRole('button', { name: 'Expire now' }).click();

  await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor();
  expect(await page.locator('[data-address]').count()).toBe(0);
  await page.getByRole('link', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('button', { name: 'Continue with' }).click();
  expect(page.url()).not.toBe(first);
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(window.incidents).toEqual([]);
});

test.each([
  ['Expire now', 'This checkout has expired'],
  ['Fail payment', 'The payment failed'],
])('a checkout that has ended is tried again on the same order (%s)', async (action, heading) => {
  const { checkout_url: url, id: old } = await shop.session({ order_id: `order ${action}` });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: action }).click();
  await page.getByRole('heading', { name: heading }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Continue with' }).click();
  expect(page.url()).not.toBe(url);
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  const id = page.url().split('/').at(-1)?.split('?')[0];
  expect(await shop.call('GET', `/v1/checkout/sessions/${id}`)).toMatchObject({
    status: 'paid',
    order_id: `order ${action}`,
    retry_of: old,
  });
  // The old address does not deny what the new one received.
  await using later = await visit(browser, shop.url);
  await later.page.goto(url);
  await later.page.getByText('This order was paid in the new checkout.').waitFor();
  expect(await later.page.getByText(/No payment|didn’t receive|Try again/).count()).toBe(0);
  await later.page.getByRole('link', { name: 'Open the new checkout' }).click();
  await later.page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect([window.incidents, later.incidents]).toEqual([[], []]);
});

test('who tries an order again is warned as soon as money arrives in the earlier checkout', async () => {
  const { checkout_url: url, id: old } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByRole('button', { name: 'Expire now' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await shop.service.call('POST', `/v1/public/checkout/sessions/${old}/test`, { action: 'late' });
  const warning = page.getByRole('alert').filter({ hasText: 'Your money arrived in an earlier checkout' });
  await warning.waitFor();
  // So they are once this one has ended too.
  await page.getByRole('button', { name: 'Expire now' }).click();
  await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor();
  expect(await page.getByText('No payment for this order').count()).toBe(0);
  expect(await page.locator('.end .primary').count()).toBe(0);
  await warning.getByRole('link', { name: 'Open the earlier checkout' }).click();
  await page.getByText('Don’t pay again.').waitFor();
  expect(await page.getByText('new checkout').count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('two tabs of one checkout show the same, whichever of them pays', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const [one, two] = [window.page, await window.context.newPage()];
  await one.goto(url);
  await two.goto(url);
  await one.getByRole('button', { name: 'Continue with' }).click();
  await two.locator('[data-address]').waitFor();
  await two.getByRole('button', { name: 'Pay too little' }).click();
  await one.getByRole('heading', { name: 'Partial payment received' }).waitFor();
  await one.getByRole('button', { name: 'Pay exact amount' }).click();
  await two.getByRole('heading', { name: 'Paid' }).waitFor();
  await one.getByRole('heading', { name: 'Paid' }).waitFor();
});

test('after a request that alone was lost, the page soon stops saying that it is offline', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.route('**/pay', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Continue with' }).click();
  const offline = page.getByRole('alert').filter({ hasText: 'You’re offline.' });
  await offline.waitFor();
  await offline.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
});

test('a lost connection is shown, and the page catches up when it is back', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await window.context.setOffline(true);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('alert').filter({ hasText: 'You’re offline.' }).waitFor();
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'paid' });
  await window.context.setOffline(false);
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
});
