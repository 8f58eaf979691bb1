import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import type { PrivateKeyAccount } from 'viem/accounts';
import { startAnvil, type TestChain } from '@quittance/server/testing/anvil';
import { startFacilitator, type TestFacilitator } from '@quittance/server/testing/facilitator';
import { publishedFacilitator } from './programs/facilitator.ts';
import { openBrowser, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop, shownAmount } from './support/shop.ts';

let chain: TestChain;
let facilitator: TestFacilitator;
let shop: EthereumShop;
let browser: Browser;
/** Holds a million dollars and no wei. */
let poor: `0x${string}`;

beforeAll(async () => {
  chain = await startAnvil({ blockTimeSeconds: 1 });
  const sender = chain.accounts.at(-1) as PrivateKeyAccount;
  let settle: ReturnType<typeof publishedFacilitator>;
  facilitator = await startFacilitator(
    [{ x402Version: 2, scheme: 'exact', network: `eip155:${chain.chainId}` }],
    (payload, requirements) => settle(payload, requirements),
  );
  shop = await openEthereumShop({ X402_FACILITATOR_ETHEREUM_URL: facilitator.url }, {}, chain, 'DollarCoin');
  settle = publishedFacilitator({ chain, usdc: shop.usdc, sender });
  poor = chain.accounts[5]?.address as `0x${string}`;
  await chain.rpc('anvil_setBalance', [poor, '0x0']);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await facilitator?.[Symbol.asyncDispose]();
});

const signing = (page: Page) => page.getByRole('button', { name: 'Pay with Fern Wallet, no network fee' });

async function toPay(page: Page): Promise<string> {
  const { checkout_url: url, id } = await shop.session();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').first().waitFor();
  return id;
}

test('a wallet without any native coin pays by one signature, and the page says what is signed', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain, account: poor });
  const id = await toPay(page);
  const { payment } = await shop.look(id);
  const text = page.locator('[data-gasless]');
  await text.getByText(`It pays ${shownAmount(payment.amount)} USDC on Ethereum and can move nothing else.`).waitFor();
  await text.getByText(payment.address).waitFor();

  await signing(page).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  const prompts = wallet.asked.map(({ method }) => method);
  expect(prompts.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
  expect(prompts).not.toContain('eth_sendTransaction');
  const asked = wallet.asked.find(({ method }) => method === 'eth_signTypedData_v4');
  const { domain, message } = JSON.parse(String(asked?.params[1]));
  expect(domain).toEqual({ name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: shop.usdc });
  expect(message).toMatchObject({ from: poor, to: shop.wallet, value: payment.amount.replace('.', '') });
  expect(await chain.rpc('eth_getBalance', [poor, 'latest'])).toBe('0x0');
  expect((await shop.waitForEvent('payment.paid')).data.session).toBe(id);
  expect(facilitator.asked).toHaveLength(1);
  expect(window.incidents).toEqual([]);
});

test('a rejected signature sends nothing, and the same page pays by a transfer', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain });
  const before = facilitator.asked.length;
  await toPay(page);
  wallet.answerTo('eth_signTypedData_v4', 'decline');
  await signing(page).click();
  await page.getByRole('alert').filter({ hasText: 'Nothing was sent.' }).waitFor();
  expect(facilitator.asked).toHaveLength(before);
  await page.getByRole('button', { name: 'Pay with Fern Wallet', exact: true }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).toContain('eth_sendTransaction');
});

test('a script that changes the address that is signed for is noticed, and nothing to sign is shown any more', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await addEthereumWallet(window.context, { chain, account: poor });
  await toPay(page);
  await signing(page).waitFor();
  await page.evaluate(() => {
    const place = document.querySelector('[data-gasless] .address');
    if (place) place.textContent = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
  });
  await page.getByRole('alert').filter({ hasText: 'Something on this device changed the payment details' }).waitFor();
  expect(await signing(page).count()).toBe(0);
});

test('while a signature may move money, a reloaded page says so and shows no amount to pay', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await addEthereumWallet(window.context, { chain, account: poor });
  const id = await toPay(page);
  facilitator.faults.push('down');
  // What the service sends again is held until the page was seen.
  const { promise: seen, resolve: release } = Promise.withResolvers<void>();
  using _held = { [Symbol.dispose]: release };
  const before = facilitator.asked.length;
  facilitator.onSettle = () => (facilitator.asked.length > before + 1 ? seen : Promise.resolve());
  await signing(page).click();
  await page.getByText('Your signed payment is being sent. Don’t pay again.').waitFor();
  await page.reload();
  await page.getByText('Your signed payment is being sent. Don’t pay again.').waitFor();
  await page.getByRole('heading', { name: 'Signed. Sending your payment…' }).waitFor();
  expect(await page.locator('[data-amount]').count()).toBe(0);
  expect(await page.getByText('adds the network fee').count()).toBe(0);
  expect(await signing(page).count()).toBe(0);
  release();
  // The service sends it again automatically.
  await page.getByRole('heading', { name: 'Paid' }).waitFor({ timeout: 90_000 });
  expect((await shop.look(id)).status).toBe('paid');
});

test('no signature is offered without a facilitator', async () => {
  await using other = await openEthereumShop({}, {}, undefined, 'DollarCoin');
  await using window = await visit(browser, other.url);
  await addEthereumWallet(window.context, { chain: other.chain });
  const { checkout_url: url } = await other.session();
  await window.page.goto(url);
  await window.page.getByRole('button', { name: 'Continue with' }).click();
  await window.page.getByRole('button', { name: 'Pay with Fern Wallet' }).waitFor();
  expect(await signing(window.page).count()).toBe(0);
});

test('a wallet that batches calls is given the paymaster of the merchant by way of the service', async () => {
  await shop.account({ paymaster_url: 'https://paymaster.example.com/v1/secret' });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain, batches: true, isSponsored: true });
  const id = await toPay(page);
  await page.getByRole('button', { name: 'Pay with Fern Wallet', exact: true }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  const asked = wallet.asked.find(({ method }) => method === 'wallet_sendCalls');
  expect(asked?.params[0]).toMatchObject({
    capabilities: {
      paymasterService: { url: expect.stringContaining(`${shop.url}/checkout/${id}/paymaster/`), optional: true },
    },
  });
  expect(await page.content()).not.toContain('paymaster.example.com');
  expect(window.incidents).toEqual([]);
});
