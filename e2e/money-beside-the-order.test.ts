import { startAnvil } from '@quittance/server/testing/anvil';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { CONFIRMATIONS, type EthereumShop, openEthereumShop, shownAmount } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';

let base: Awaited<ReturnType<typeof startAnvil>>;
let baseUsdc: `0x${string}`;
let shop: EthereumShop;
let browser: Browser;
beforeAll(async () => {
  base = await startAnvil({ chainId: 31_338 });
  baseUsdc = await base.deployToken();
  shop = await openEthereumShop({
    RPC_BASE_URLS: base.url,
    CHAIN_ID_BASE: String(base.chainId),
    CONFIRMATIONS_BASE: String(CONFIRMATIONS),
    TOKEN_USDC_BASE: baseUsdc,
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await base?.stop();
});

const choose = async (session: string, network: string) =>
  (
    await shop.service.call<any>('POST', `/v1/public/checkout/sessions/${session}/pay`, {
      pay_asset: 'USDC',
      pay_network: network,
    })
  ).payment;

test('what a customer sent too much is offered on Home and returned alone, and the order stays paid for everyone', async () => {
  const { id, checkout_url: url } = await shop.session({ order_id: 'order-9' });
  const { tag, amount } = await choose(id, 'ethereum');
  await shop.chain.transferErc20({
    token: shop.usdc,
    from: shop.customer,
    to: shop.wallet,
    amount: BigInt(amount.replace('.', '')) + 9_800_000n,
    tag: Buffer.from(tag.slice(2), 'hex'),
  });
  await expect.poll(async () => (await shop.look(id)).status, { timeout: 30_000 }).toBe('paid');
  const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
  const { surplus } = await shop.call('GET', `/v1/payments/${payment}`);

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: shop.wallet });
  await page.goto(`${shop.url}/dashboard`);
  // As the item says: the dialog is open, once.
  await page.getByRole('link', { name: `Overpaid $${surplus} order-9` }).click();
  await page.getByRole('dialog', { name: 'Refund' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await page.getByLabel(`Surplus $${surplus}`).isChecked()).toBe(true);
  const returned = await page.getByLabel('Amount (USDC)').inputValue();
  await page.getByRole('button', { name: 'Send with Fern Wallet' }).click();
  await page.getByText(/^Found: /).waitFor();
  await page.getByRole('button', { name: 'Record the refund' }).click();
  const refunds = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Refunds' }) });
  await refunds.getByText('Refunded', { exact: true }).waitFor({ timeout: 60_000 });

  expect(wallet.asked.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
  expect(await shop.call('GET', `/v1/payments/${payment}`)).toMatchObject({ status: 'paid', refunded_amount: surplus });
  expect(await shop.call('GET', `/v1/refunds?payment=${payment}`)).toMatchObject([{ coin_amount: returned }]);
  await using customer = await visit(browser, shop.url);
  await customer.page.goto(url);
  await customer.page.getByText(`${surplus} USD`).waitFor();
  expect(window.incidents.concat(customer.incidents)).toEqual([]);
});

test('a part of the money is shown as received while the rest of it is awaited', async () => {
  const { id } = await shop.session({ order_id: 'order-12' });
  const { tag, amount } = await choose(id, 'ethereum');
  await shop.chain.transferErc20({
    token: shop.usdc,
    from: shop.customer,
    to: shop.wallet,
    amount: 20_000_000n,
    tag: Buffer.from(tag.slice(2), 'hex'),
  });
  await shop.chain.mine(CONFIRMATIONS);
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  // No event says that a part has arrived.
  await expect.poll(async () => Number((await shop.look(id)).payment.amount_seen), { timeout: 30_000 }).toBe(20);
  await page.goto(`${shop.url}/dashboard/payments?q=order-12`);
  const row = page.getByRole('row').filter({ hasText: 'order-12' });
  await row.getByText('Partly paid', { exact: true }).waitFor();
  await row.getByRole('link').first().click();
  await page.getByRole('heading', { level: 1 }).getByText('Partly paid', { exact: true }).waitFor();
  await page.getByText(`20 USDC of ${shownAmount(amount)} USDC`).waitFor();
  expect((await shop.look(id)).status).toBe('pending');
  expect(window.incidents).toEqual([]);
});

/** An order due on Ethereum whose customer pays on Base, and sees there that it is the wrong network. */
async function payElsewhere(order: string, { page }: Pick<Awaited<ReturnType<typeof visit>>, 'page'>) {
  // A network is watched while someone is paid on it.
  const { id: elsewhere } = await shop.call('POST', '/v1/payout-wallets', {
    asset: 'USDC',
    network: 'base',
    address: shop.chain.accounts[7]?.address,
  });
  await choose((await shop.session({ payout_wallet_id: elsewhere })).id, 'base');
  const { id, checkout_url: url } = await shop.session({ order_id: order });
  const { amount } = await choose(id, 'ethereum');
  await page.goto(url);
  await base.transferErc20({
    token: baseUsdc,
    from: shop.customer,
    to: shop.wallet,
    amount: BigInt(amount.replace('.', '')),
  });
  await base.mine(CONFIRMATIONS);
  await page.getByText('USDC on Base reached the merchant’s wallet').waitFor({ timeout: 60_000 });
  await page.getByText('The merchant sees this too.').waitFor();
  return { id, amount };
}

test('a customer who pays on another network sees within a minute where it is, and the merchant sends it back', async () => {
  await using customer = await visit(browser, shop.url);
  const { id, amount } = await payElsewhere('order-10', customer);

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/transfers`);
  const row = page.getByRole('row').filter({ hasText: 'order-10' });
  await row.getByText('Wrong network').waitFor();
  await row.getByRole('button', { name: 'Send back' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/USDC · Base$/).waitFor();
  await dialog.getByText(shop.customer, { exact: true }).waitFor();
  const back = { from: shop.wallet, to: shop.customer, amount: BigInt(amount.replace('.', '')) };
  await dialog.getByLabel('Transaction').fill(await base.transferErc20({ token: baseUsdc, ...back }));
  await dialog.getByRole('button', { name: 'I’ve sent it' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await shop.look(id)).status).toBe('pending');
  expect(window.incidents.concat(customer.incidents)).toEqual([]);
});

test('wrong network: the merchant assigns what arrived elsewhere, and the customer sees that the order is paid', async () => {
  await using customer = await visit(browser, shop.url);
  const { id } = await payElsewhere('order-11', customer);

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/transfers`);
  const row = page.getByRole('row').filter({ hasText: 'order-11' });
  await row.getByText('Wrong network').waitFor();
  await row.getByRole('button', { name: 'Assign' }).click();
  const dialog = page.getByRole('dialog');
  const finding = 'Due on Ethereum. No contract lives at the address there or on Base: its key moves both.';
  await dialog.getByRole('radio', { name: finding }).check();
  await dialog.getByRole('button', { name: 'Assign' }).click();
  await row.waitFor({ state: 'detached' });
  const { status, payment } = await shop.look(id);
  expect(status).toBe('paid');
  expect(payment).toMatchObject({ network: 'base', other_transfers: [] });
  await customer.page.getByText('USDC on Base reached').waitFor({ state: 'detached' });
  await customer.page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  expect(window.incidents.concat(customer.incidents)).toEqual([]);
});
