import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { type Hex, hexToBytes, parseUnits } from 'viem';
import { openBrowser, visit } from './support/browser.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { startAnvil } from '@quittance/server/testing/anvil';

let shop: EthereumShop;
let browser: Browser;
let usdt: Hex;
beforeAll(async () => {
  const chain = await startAnvil({ blockTimeSeconds: 1 });
  usdt = await chain.deployToken({ symbol: 'USDT' });
  shop = await openEthereumShop({ TOKEN_USDT_ETHEREUM: usdt }, {}, chain);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

test('the wrong coin is recognized by its tag, and the page says where it is and still accepts the right one', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  const { payment } = await shop.look(id);

  await shop.chain.transferErc20({
    token: usdt,
    from: shop.customer,
    to: shop.wallet,
    amount: parseUnits('49', 6),
    tag: hexToBytes(payment.tag),
  });
  await page.getByRole('heading', { name: 'We received a different payment' }).waitFor();
  await page
    .getByText('49 USDT on Ethereum reached the merchant’s wallet, but it isn’t what this order asks for')
    .waitFor();

  await shop.send(payment.amount);
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  expect((await shop.look(id)).payment.other_transfers).toMatchObject([
    { asset: 'USDT', network: 'ethereum', amount: '49.000000', reason: 'other_asset' },
  ]);
  expect(window.incidents).toEqual([]);
});

test('money after it was paid is said to be there, and does not count again', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  const { payment } = await shop.look(id);
  await shop.send(payment.amount);
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  await shop.send(payment.amount);
  await page.getByText('that isn’t part of this order').waitFor();
  expect((await shop.look(id)).status).toBe('paid');
});
