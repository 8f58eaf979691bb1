import { type Address, stringToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { calldata, startAnvil, type TestChain } from '@quittance/server/testing/anvil';
import { openBrowser, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { openShop, type Shop } from './support/shop.ts';

let chain: TestChain;
let token: Address;
let shop: Shop;
let browser: Browser;
beforeAll(async () => {
  chain = await startAnvil({ blockTimeSeconds: 1, chainId: 4217 });
  token = await chain.deployToken({ contract: 'MemoToken', symbol: 'USDT0' });
  shop = await openShop({
    wallet: { asset: 'USDT', network: 'tempo', address: chain.accounts[2]?.address as string },
    env: {
      EXTRA_ASSETS: 'USDT_TEMPO',
      RPC_TEMPO_URLS: chain.url,
      CHAIN_ID_TEMPO: String(chain.chainId),
      CONFIRMATIONS_TEMPO: '3',
      TOKEN_USDT_TEMPO: token,
    },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await chain?.stop();
});

async function toPay(page: Page): Promise<string> {
  const { checkout_url: url, id } = await shop.session({ amount: '49.00' });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  return id;
}

test('a connected wallet sends the plain price with the memo', async () => {
  await using window = await visit(browser, shop.url);
  const wallet = await addEthereumWallet(window.context, { chain });
  const id = await toPay(window.page);
  await window.page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await window.page.getByRole('heading', { name: 'Paid' }).waitFor();
  const sent = wallet.asked.find(({ method }) => method === 'eth_sendTransaction');
  const { payment } = await shop.look(id);
  expect(payment.amount).toBe('49.000000');
  const data = (sent?.params[0] as { data: string } | undefined)?.data ?? '';
  expect(data).toMatch(/^0x95777d59/);
  expect(data.endsWith(stringToHex(payment.reference).slice(2))).toBe(true);
  expect(window.incidents).toEqual([]);
});

test('a script that changes the memo, which would pay another order, is noticed', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await toPay(page);
  await page.evaluate(() => {
    const memo = document.querySelector('.copyable-reference .address');
    if (memo) memo.textContent = '0123456789abcdef0123456789abcdef';
  });
  await page.getByRole('alert').filter({ hasText: 'Something on this device changed the payment details' }).waitFor();
  expect(await page.locator('.copyable-reference').count()).toBe(0);
});

test('without one, the customer copies address, amount and memo', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await toPay(page);
  await page.getByText('Write this memo into the transfer').waitFor();
  const copied = async (what: string) => {
    await page.locator(`.copyable-${what} button`).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const [to, amount, memo] = [await copied('address'), await copied('amount'), await copied('reference')];
  expect(amount).toBe('49');
  expect(memo).toMatch(/^[0-9a-f]{32}$/);
  const args = [to, 49_000_000n, stringToHex(memo)];
  await chain.send({ to: token, data: calldata('MemoToken', 'transferWithMemo', args) });
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
});
