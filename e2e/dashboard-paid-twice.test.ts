import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';

let browser: Browser;
let shop: EthereumShop;

beforeAll(async () => {
  [browser, shop] = await Promise.all([openBrowser(), openEthereumShop()]);
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await browser?.close();
});

test('a payment that was paid twice says so before it is refunded, and sending the rest back names that refund', async () => {
  const id = await shop.paid();
  const { actual_output: amount } = await shop.call('GET', `/v1/payments/${id}`);
  await shop.send(amount);
  const uncounted = async () =>
    (await shop.call('GET', '/v1/transfers?unattributed=true')).map((one: any) => one.payment);
  await expect.poll(uncounted, { timeout: 30_000 }).toContain(id);

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  // One that still takes money could be assigned it.
  const isPayment = (url: URL) => url.pathname === `/v1/payments/${id}`;
  await page.route(isPayment, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, status: 'expired' }, ...rest } });
  });
  await page.goto(`${shop.url}/dashboard/payments/${id}`);
  await page.getByText('don’t include it. Assign it, or send it back from the transfers once it is final.').waitFor();
  await page.unroute(isPayment);
  await page.reload();
  const notice = page.getByText(`${amount} USDC not counted: Payment already paid`);
  const explained = page.getByText(
    'Refunds of this payment don’t include it. Once it is final, send it back from the transfers.',
  );
  await explained.waitFor();
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${amount} USDC not counted: Payment already paid`).waitFor();
  // A dialog that is held cannot be left by the link in it either.
  const transfers = dialog.getByRole('link', { name: 'Transfers' });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    await held;
    await route.continue();
  };
  await page.route('**/v1/payments/*/refunds', hold, { times: 1 });
  await dialog.getByLabel('Ask the customer for the address, by a link').check();
  await dialog.getByRole('button', { name: 'Create the link' }).click();
  await transfers.waitFor({ state: 'detached' });
  release();
  await dialog.getByText(/\/refund\/[0-9A-Za-z]{43}$/).waitFor();
  await shop.call('POST', `/v1/payments/${id}/refund`);

  await transfers.click();
  const row = page.getByRole('row').filter({ hasText: amount });
  await row.getByRole('button', { name: 'Send back' }).click();
  await dialog.getByText('$49.00 refunded').waitFor();
  await dialog.getByRole('link', { name: 'Two ferns' }).waitFor();
  await dialog.getByText('Make sure that the customer doesn’t get the same money twice.').waitFor();
  await dialog.getByLabel('Transaction').fill('sent by hand');
  await dialog.getByRole('button', { name: 'I’ve sent it' }).click();
  await row.waitFor({ state: 'detached' });

  await page.goto(`${shop.url}/dashboard/payments/${id}`);
  await page.getByText('A refund was recorded').waitFor();
  expect(await explained.count()).toBe(0);
  expect(await notice.count()).toBe(1);
  expect(window.incidents).toEqual([]);
});
