import { expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { pressEverything, recordWallets } from './support/recording-wallets.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { beforeStories } from './support/stories.ts';

let shop: EthereumShop;
let browser: Browser;
beforeStories(openEthereumShop, (...opened) => void ([shop, browser] = opened));

async function toPay(page: Page): Promise<string> {
  const { checkout_url: url, id } = await shop.session();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  return id;
}

test('a wallet that announces itself pays in one prompt, and the transfer carries our tag', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  const id = await toPay(page);
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();

  const sent = wallet.asked.find(({ method }) => method === 'eth_sendTransaction');
  const data = (sent?.params[0] as { data: string } | undefined)?.data ?? '';
  const { payment } = await shop.look(id);
  expect(data.endsWith(payment.tag.slice(2))).toBe(true);
  expect((await shop.waitForEvent('payment.paid')).data.session).toBe(id);
  expect(window.incidents).toEqual([]);
});

test('a wallet that takes calls is given calls', async () => {
  await using window = await visit(browser, shop.url);
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain, batches: true });
  await toPay(window.page);
  await window.page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await window.page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).toContain('wallet_sendCalls');
  expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_sendTransaction');
});

test("a wallet's error is shown in words, and paying can be tried again", async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await toPay(page);
  const pay = page.getByRole('button', { name: 'Pay with Fern Wallet' });

  wallet.answer('decline');
  await pay.click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'You rejected the request in your wallet. Nothing was sent.' })
    .waitFor();
  wallet.answer('busy');
  await pay.click();
  await page.getByRole('alert').filter({ hasText: 'Your wallet has another pending request.' }).waitFor();
  wallet.answer('break');
  await pay.click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'Your wallet couldn’t complete the request. Nothing was sent.' })
    .waitFor();
  await pay.click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
});

test('an account without enough money gets a message before any prompt', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  // The first account created the token, and holds none of it.
  const wallet = await addEthereumWallet(window.context, {
    chain: shop.chain,
    account: shop.chain.accounts[0]?.address,
  });
  await toPay(page);
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'This account has 0 USDC, but 49.00' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_sendTransaction');
});

test('an account without coins for the network fee gets a message before any prompt', async () => {
  const poor = shop.chain.accounts[5]?.address as `0x${string}`;
  await shop.chain.rpc('anvil_setBalance', [poor, '0x1']);
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: poor });
  await toPay(page);
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'This account doesn’t have enough ETH for the network fee.' })
    .waitFor();
  expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_sendTransaction');
});

test('a wallet on another network is asked to switch, and one that cannot gets instructions', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const elsewhere = await addEthereumWallet(window.context, {
    chain: shop.chain,
    name: 'Far Wallet',
    isElsewhere: true,
  });
  await addEthereumWallet(window.context, {
    chain: shop.chain,
    name: 'Stone Wallet',
    isElsewhere: true,
    ignoresSwitch: true,
  });
  await toPay(page);
  await page.getByRole('button', { name: 'Pay with Far Wallet' }).click();
  // The test chain is in no public list, so it cannot be offered to be added.
  await page.getByRole('alert').filter({ hasText: 'Ethereum isn’t set up in your wallet.' }).waitFor();
  expect(elsewhere.asked.map(({ method }) => method)).toContain('wallet_switchEthereumChain');
  await page.getByRole('button', { name: 'Pay with Stone Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'Your wallet is still on a different network.' }).waitFor();
});

test('the wallets that no test asks are found and asked by a live checkout', async () => {
  await using window = await visit(browser, shop.url);
  const asked = await recordWallets(window.context);
  await toPay(window.page);
  expect(await pressEverything(window.page)).toBeGreaterThan(0);
  await expect.poll(() => asked.join()).toContain('eth_requestAccounts');
});
