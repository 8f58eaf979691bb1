import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import type { Address } from 'viem';
import { openBrowser, overflow } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';

let shop: EthereumShop;
let browser: Browser;
let batcher: Address;
let payment: string;
beforeAll(async () => {
  shop = await openEthereumShop();
  browser = await openBrowser();
  batcher = await shop.chain.deploy('Batcher');
  await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 100_000_000n, from: shop.customer });
  payment = await paid();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

async function paid(): Promise<string> {
  const { id } = await shop.session();
  const { payment: asked } = await shop.service.call<any>('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'ethereum',
  });
  await shop.send(asked.amount);
  return (await shop.waitForEvent('payment.paid')).data.id;
}

async function objections(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
}

/** Plans a refund of 1.00 to each of these accounts. */
async function plan(...accounts: number[]): Promise<void> {
  for (const at of accounts)
    await shop.call('POST', `/v1/payments/${payment}/refunds`, {
      amount: '1.00',
      to: shop.chain.accounts[at]?.address,
    });
}

async function statuses(): Promise<string> {
  const refunds: { status: string }[] = await shop.call('GET', `/v1/refunds?payment=${payment}&limit=100`);
  return refunds
    .map(({ status }) => status)
    .sort()
    .join(' ');
}

test('planned refunds are sent by one signature, and what was left out by another wallet, one after the other', async () => {
  await plan(5, 6, 7);
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, {
    chain: shop.chain,
    account: shop.wallet,
    batches: true,
    batcher,
  });
  const plain = await addEthereumWallet(window.context, {
    chain: shop.chain,
    account: shop.wallet,
    name: 'Moss Wallet',
  });

  // One more from the dialog of its payment.
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByLabel('To (Ethereum)').fill(shop.chain.accounts[8]?.address as string);
  await page.getByLabel('Amount (USDC)').fill('2');
  await page.getByRole('button', { name: 'Send later with others' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Refunds', exact: true }).click();
  await page.getByText(/4 chosen: .?5 USDC/).waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/refunds.png`, fullPage: true });
  expect(await overflow(page)).toBe(0);
  expect(await objections(page)).toEqual([]);
  await page.getByLabel(`Send to ${shop.chain.accounts[5]?.address}`).uncheck();
  wallet.answerTo('wallet_sendCalls', 'decline');
  await page.getByRole('button', { name: 'Send 3 with Fern Wallet' }).click();
  // Keys can plan refunds to anyone, so a person looks at what is not a sender's address before a wallet is asked.
  await expect.poll(() => page.getByText('didn’t send anything to this payment').count()).toBe(3);
  const isAsked = () => wallet.asked.some(({ method }) => method === 'wallet_sendCalls');
  expect(isAsked()).toBe(false);
  // One more by now: only what was shown is confirmed.
  await page.getByLabel(`Send to ${shop.chain.accounts[5]?.address}`).check();
  await page.getByRole('button', { name: 'The addresses are right: send' }).click();
  await expect.poll(() => page.getByText('didn’t send anything to this payment').count()).toBe(1);
  expect(isAsked()).toBe(false);
  await page.getByLabel(`Send to ${shop.chain.accounts[5]?.address}`).uncheck();
  await page.getByRole('button', { name: 'The addresses are right: send' }).click();
  await page.getByText('You rejected the request in your wallet.').waitFor();
  expect(await statuses()).toBe('planned planned planned planned');
  await page.getByRole('button', { name: 'Send 3 with Fern Wallet' }).click();
  await page.getByRole('button', { name: 'The addresses are right: send' }).click();
  await expect.poll(statuses, { timeout: 60_000 }).toBe('final final final planned');
  const calls = wallet.asked.filter(({ method }) => method === 'wallet_sendCalls');
  expect(calls).toHaveLength(2);
  expect(calls[1]?.params[0]).toMatchObject({ calls: [{}, {}, {}], atomicRequired: true });

  await page.getByLabel(`Send to ${shop.chain.accounts[5]?.address}`).check();
  await page.getByRole('button', { name: 'Send 1 with Moss Wallet' }).click();
  await page.getByRole('button', { name: 'The addresses are right: send' }).click();
  await expect.poll(statuses, { timeout: 60_000 }).toBe('final final final final');
  expect(plain.asked.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
  await page.getByText('No refund to send').waitFor();
  expect(await shop.call('GET', `/v1/payments/${payment}`)).toMatchObject({ refunded_amount: '5.00' });
  expect(window.incidents).toEqual([]);
});

test('a page that ends while the wallet has them offers none a second time', async () => {
  await plan(5, 6);
  await using window = await visitAsMerchant(browser, shop, { phone: true, colorScheme: 'dark' });
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, {
    chain: shop.chain,
    account: shop.wallet,
    batches: true,
    neverAnswers: true,
  });
  await page.goto(`${shop.url}/dashboard/refunds`);
  const had = page.getByText('Your wallet had it: look there first');
  // An error that says nothing may have come after the wallet had sent them.
  wallet.answerTo('wallet_sendCalls', 'break');
  await page.getByRole('button', { name: 'Send 2 with Fern Wallet' }).click();
  await page.getByRole('button', { name: 'The addresses are right: send' }).click();
  await expect.poll(() => had.count()).toBe(2);
  for (const left of [1, 0]) {
    await page.getByRole('button', { name: 'It wasn’t sent' }).first().click();
    await expect.poll(() => had.count()).toBe(left);
  }
  await page.getByRole('button', { name: 'Send 2 with Fern Wallet' }).click();
  await page.getByRole('button', { name: 'The addresses are right: send' }).click();
  expect(await overflow(page)).toBe(0);
  expect(await objections(page)).toEqual([]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/phone.png`, fullPage: true });
  await page.getByText('In your wallet').first().waitFor();
  await expect.poll(() => wallet.asked.filter(({ method }) => method === 'wallet_sendCalls').length).toBe(2);
  await page.reload();
  await expect.poll(() => had.count()).toBe(2);
  expect(await page.getByRole('button', { name: 'Send 0 with Fern Wallet' }).isDisabled()).toBe(true);
  // Neither does the page of the payment.
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await page.getByRole('button', { name: 'Send this refund' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Your wallet had it: look there first').waitFor();
  expect(await dialog.getByRole('button', { name: 'Send with Fern Wallet' }).count()).toBe(0);
  // The merchant has looked, and offers one again.
  await dialog.getByRole('button', { name: 'It wasn’t sent' }).click();
  await dialog.getByRole('button', { name: 'Send with Fern Wallet' }).waitFor();
  await page.goto(`${shop.url}/dashboard/refunds`);
  await page.getByRole('button', { name: 'Send 1 with Fern Wallet' }).waitFor();
});
