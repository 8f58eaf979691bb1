import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import { type EthereumShop, openEthereumShop, shownAmount } from './support/shop.ts';
import { beforeStories } from './support/stories.ts';

let shop: EthereumShop;
let browser: Browser;
beforeStories(openEthereumShop, (...opened) => void ([shop, browser] = opened));

test('a customer sends exactly the amount that the page shows, from any wallet, and sees it seen, confirmed and paid', async () => {
  const { checkout_url: url, id } = await shop.session({
    success_url: 'https://fern-and-fog.example/thanks?order=7&session={CHECKOUT_SESSION_ID}',
    order_id: 'order-7',
  });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with USDC on Ethereum' }).click();

  await page.getByRole('button', { name: 'Copy amount' }).click();
  const amount = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy address' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shop.wallet);
  expect(amount).toMatch(/^49\.00\d{1,4}$/);
  {
    await using _blocks = await shop.holdBlocks();
    await shop.send(amount);
    await shop.chain.mine();
    await page.getByRole('heading', { name: 'Payment detected' }).waitFor();
  }
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(await page.locator('[data-return]').getAttribute('href')).toBe(
    `https://fern-and-fog.example/thanks?order=7&session=${id}`,
  );

  const event = await shop.waitForEvent('payment.paid');
  expect(event.data).toMatchObject({ order_id: 'order-7', session: id });
  await page.getByRole('button', { name: 'Stay on this page' }).click();
  await page.getByRole('link', { name: 'Receipt' }).click();
  await page.getByText(event.data.tx_hash).waitFor();
  expect(window.incidents).toEqual([]);
});

test('the QR code of a token holds its address, or on request the payment, and both are what the service says', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  const code = page.locator('.code > .qr');
  await code.waitFor();
  const { payment } = await shop.look(id);
  // Several wallets would send to the token's contract, with which the payment's code begins.
  expect(await code.getAttribute('aria-label')).toContain(`QR code of the address ${shop.wallet}`);

  await page.getByRole('radio', { name: 'With amount' }).check();
  expect(await code.getAttribute('aria-label')).toBe(
    `QR code to pay ${shownAmount(payment.amount)} USDC on Ethereum to ${shop.wallet}`,
  );
  await page.reload();
  expect(await page.getByRole('radio', { name: 'With amount' }).isChecked()).toBe(true);

  await page.getByRole('button', { name: 'Enlarge QR code' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  expect(window.incidents).toEqual([]);
});
