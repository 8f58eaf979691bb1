import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import { pressEverything, recordWallets } from './support/recording-wallets.ts';
import { openSolanaShop, shownAmount, type SolanaShop } from './support/shop.ts';
import { addSolanaWallet } from './support/solana-wallet.ts';
import { beforeStories } from './support/stories.ts';

let shop: SolanaShop;
let browser: Browser;
beforeStories(openSolanaShop, (...opened) => void ([shop, browser] = opened));

test('a wallet of the Wallet Standard signs the transaction that the service built, and the reference settles it', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addSolanaWallet(window.context, { cluster: shop.cluster, signer: shop.customer });
  const { checkout_url: url, id } = await shop.session();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with USDC on Solana' }).click();
  await page.getByRole('button', { name: 'Copy amount' }).waitFor();

  wallet.answer('decline');
  await page.getByRole('button', { name: 'Pay with Moss Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'You rejected the request in your wallet.' }).waitFor();
  await page.getByRole('button', { name: 'Pay with Moss Wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();

  const { data } = await shop.waitForEvent('payment.paid');
  expect(data).toMatchObject({
    session: id,
    tx_hash: wallet.sent[0],
    receive_asset: 'USDC',
    receive_network: 'solana',
  });
  expect(await shop.cluster.balance(shop.usdc, shop.wallet.address)).toBeGreaterThanOrEqual(49_000_000n);
  expect(window.incidents).toEqual([]);
});

test('the Solana Pay address of the QR code carries amount, mint and reference', async () => {
  const { id } = await shop.session();
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'solana',
  });
  const { payment } = await shop.look(id);
  const uri = new URL(payment.uri);
  expect(uri.pathname).toBe(shop.wallet.address);
  expect(uri.searchParams.get('spl-token')).toBe(shop.usdc);
  expect(uri.searchParams.get('reference')).toBe(payment.reference);
  expect(`${uri.searchParams.get('amount')}`).toBe(shownAmount(payment.amount));
});

test('the wallets that no test asks are found and asked by a live checkout', async () => {
  await using window = await visit(browser, shop.url);
  const asked = await recordWallets(window.context);
  await window.page.goto((await shop.session()).checkout_url);
  await window.page.getByRole('button', { name: 'Continue with USDC on Solana' }).click();
  await window.page.getByRole('button', { name: 'Copy amount' }).waitFor();
  expect(await pressEverything(window.page)).toBeGreaterThan(0);
  await expect.poll(() => asked.join()).toContain('"name":"connect"');
});
