import { type OneClickServer, startOneClick } from '@quittance/server/testing/one-click-server';
import type { Browser } from 'playwright-core';
import { formatUnits, parseUnits } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, overflow, visit } from './support/browser.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';

let provider: OneClickServer;
let shop: EthereumShop;
let browser: Browser;
beforeAll(async () => {
  provider = await startOneClick();
  shop = await openEthereumShop({
    ROUTES: 'one-click',
    ROUTES_ONECLICK_URL: provider.url,
    ROUTES_ONECLICK_SIGNER: provider.signer,
    ROUTES_FEE_RECIPIENT: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const REFUND = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

test('on a phone, bitcoin is paid after a refund address, followed while it is converted, and arrives as dollars', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url, { phone: true });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('radio', { name: 'BTC' }).check();
  await page.getByRole('button', { name: 'Continue with BTC on Bitcoin' }).click();

  const address = page.getByLabel('Your BTC address on Bitcoin');
  await address.fill(shop.wallet);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').filter({ hasText: 'This is an address on Ethereum, not on Bitcoin.' }).waitFor();
  expect(await overflow(page)).toBe(0);
  await address.fill(REFUND);
  await page.getByRole('button', { name: 'Continue' }).click();

  await page.getByText(REFUND).waitFor();
  const { payment } = await shop.look(id);
  expect(await page.getByRole('link', { name: 'Open in a wallet app' }).getAttribute('href')).toBe(payment.uri);
  expect(await overflow(page)).toBe(0);

  provider.deposit(payment.address, parseUnits(payment.amount, 8));
  await page.getByRole('heading', { name: 'Converting your payment' }).waitFor();
  expect(await page.locator('[data-address], .code').count()).toBe(0);
  expect(await overflow(page)).toBe(0);

  // The merchant bears the service fee, so less than the price arrives.
  const output = provider.orders.get(payment.address)?.answer.quote.amountOut;
  const payout = await shop.send(formatUnits(BigInt(String(output)), 6));
  provider.set(payment.address, 'SUCCESS', { destinationChainTxHashes: [{ hash: payout, explorerUrl: '' }] });
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  await page.getByText(`${formatUnits(parseUnits(payment.amount, 8), 8)} BTC`).waitFor();
  expect(await overflow(page)).toBe(0);
  expect((await shop.waitForEvent('payment.paid')).data).toMatchObject({
    session: id,
    route: 'routed',
    pay_asset: 'BTC',
  });
  expect(window.incidents).toEqual([]);
});
