import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => {
  [shop, browser] = opened;
});

test('two sales of one link tell who bought what, on every page that lists them and on their own', async () => {
  const link = await shop.link({ description: 'Oak stool', ask_for: ['name', 'email', 'note'] });
  for (const [name, note] of [
    ['Anna Berg', 'With felt pads, please'],
    ['Ben Ode', ''],
  ] as const)
    await buy(link.url, name, note);

  await using window = await visitAsMerchant(browser, shop, { mode: 'test' });
  const { page } = window;
  for (const path of ['/dashboard', '/dashboard/payments']) {
    await page.goto(shop.url + path);
    for (const name of ['Anna Berg', 'Ben Ode'])
      await page.getByRole('row', { name: new RegExp(`Oak stool ${name}`) }).waitFor();
    expect(await page.getByRole('row', { name: /pay_/ }).count()).toBe(0);
  }
  await page.getByLabel('Search payments').fill('anna');
  await page.getByRole('row', { name: /Ben Ode/ }).waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /Anna Berg/ })
    .getByRole('link')
    .click();

  await page.getByText('Oak stool', { exact: true }).waitFor();
  await page.getByText('anna-berg@example.com', { exact: true }).waitFor();
  await page.getByText('With felt pads, please', { exact: true }).waitFor();
  expect(await page.getByText('customer_note').count()).toBe(0);
  await page.getByRole('link', { name: 'Anna Berg' }).waitFor();
  await page.getByRole('link', { name: /^pl_/ }).click();
  await page.getByRole('dialog', { name: 'Share this link' }).getByText('Oak stool', { exact: true }).waitFor();
  expect(window.incidents).toEqual([]);
});

test('the page of a payment leads to its customer, whom only an address identifies', async () => {
  const email = 'cara@example.com';
  const session = await shop.call('POST', '/v1/checkout/sessions', { amount: '15.00', customer: { email } });
  const coin = { pay_asset: 'USDC', pay_network: 'base' };
  await shop.call('POST', `/v1/test_helpers/checkout/sessions/${session.id}/pay`, { ...coin, outcome: 'paid' });
  const { payment } = await shop.call('GET', `/v1/checkout/sessions/${session.id}`);
  await using window = await visitAsMerchant(browser, shop, { mode: 'test' });
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await page.getByRole('link', { name: email }).click();
  await page.getByRole('heading', { name: email }).waitFor();
  expect(window.incidents).toEqual([]);
});

async function buy(url: string, name: string, note: string): Promise<void> {
  await using customer = await visit(browser, shop.url);
  const { page } = customer;
  await page.goto(url);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Your email address').fill(`${name.toLowerCase().replace(' ', '-')}@example.com`);
  await page.getByLabel(/^Note to/).fill(note);
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  const session = new URL(page.url()).pathname.split('/').at(-1);
  const coin = { pay_asset: 'USDC', pay_network: 'base' };
  await shop.call('POST', `/v1/test_helpers/checkout/sessions/${session}/pay`, { ...coin, outcome: 'paid' });
}
