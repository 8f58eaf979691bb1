import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page, Route } from 'playwright-core';
import { openBrowser } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop, openSolanaShop, type Shop, type SolanaShop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';
import { addSolanaWallet } from './support/solana-wallet.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function openRefund(page: Page, shop: Shop, payment: string): Promise<void> {
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByRole('heading', { name: 'Refund' }).waitFor();
}

const refundsOn = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Refunds' }) });

/** The payment once the chain has confirmed its refund, which the page shows then. */
async function returned(shop: Shop, page: Page, payment: string): Promise<any> {
  const status = async () => (await shop.call('GET', `/v1/refunds?payment=${payment}`))[0]?.status;
  await expect.poll(status, { timeout: 60_000 }).toBe('final');
  await refundsOn(page).getByText('Refunded', { exact: true }).waitFor();
  await page.getByText('A refund arrived').waitFor();
  return shop.call('GET', `/v1/payments/${payment}`);
}

describe('on Ethereum', () => {
  let shop: EthereumShop;
  beforeAll(async () => {
    shop = await openEthereumShop();
  });
  afterAll(() => shop?.[Symbol.asyncDispose]());

  test('the connected payout wallet sends it, the chain shows it, and it is recorded', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: shop.wallet });
    await openRefund(page, shop, payment);
    expect(await page.getByLabel('To (Ethereum)').inputValue()).toBe(shop.customer);
    await page.getByLabel('Amount (USDC)').fill('12,5');

    wallet.answer('decline');
    await page.getByRole('button', { name: 'Send with Fern Wallet' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'You rejected the request in your wallet. Nothing was sent.' })
      .waitFor();
    await page.getByRole('button', { name: 'Send with Fern Wallet' }).click();
    await page.getByText(/Found: 12.5 USDC to 0x/).waitFor();
    expect(await page.getByLabel('Amount (USD)').count()).toBe(0);
    await page.getByLabel('Reason (optional)').fill('<b>One fern</b> had withered');
    await page.getByRole('button', { name: 'Record the refund' }).click();

    // A part that went back leaves the order paid.
    expect(await returned(shop, page, payment)).toMatchObject({
      status: 'paid',
      refund: null,
      refunded_amount: '12.50',
    });
    expect(await shop.call('GET', `/v1/refunds?payment=${payment}`)).toMatchObject([
      { verified: true, to: shop.customer, coin_amount: '12.500000', reason: '<b>One fern</b> had withered' },
    ]);
    await page.getByText('$12.50 refunded').waitFor();
    await page.getByText('<b>One fern</b> had withered', { exact: true }).waitFor();

    // Where the payment was read before its refund was final, and the refund after that, the payment is read again.
    const isPayment = (url: URL) => url.pathname === `/v1/payments/${payment}`;
    const readBefore = async (route: Route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      await route.fulfill({ response, json: { data: { ...data, refunded_amount: '0.00' }, ...rest } });
    };
    await page.route(isPayment, readBefore, { times: 1 });
    await page.reload();
    await page.getByText('$12.50 refunded').waitFor();
    const sent = wallet.asked.filter(({ method }) => method === 'eth_sendTransaction').at(-1)?.params[0] as {
      from: string;
      to: string;
      data: string;
    };
    expect([sent.from, sent.to.toLowerCase(), BigInt(`0x${sent.data.slice(-64)}`)]).toEqual([
      shop.wallet,
      shop.usdc.toLowerCase(),
      12_500_000n,
    ]);
    expect(window.incidents).toEqual([]);
  });

  test('a refund that is being sent cannot be closed, and one that was sent is recorded, not offered again', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    const { promise: approved, resolve: approve } = Promise.withResolvers<void>();
    const rpc: typeof shop.chain.rpc = async (method, params) => {
      if (method === 'eth_sendTransaction') await approved;
      return shop.chain.rpc(method, params);
    };
    const wallet = await addEthereumWallet(window.context, { chain: { ...shop.chain, rpc }, account: shop.wallet });
    await openRefund(page, shop, payment);
    await page.getByLabel('Amount (USDC)').fill('12.5');
    const send = page.getByRole('button', { name: 'Send with Fern Wallet' });
    await send.click();
    await expect.poll(() => wallet.asked.at(-1)?.method).toBe('eth_sendTransaction');

    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await page.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    expect(await page.getByLabel('Amount (USDC)').isDisabled()).toBe(true);
    await page.getByRole('heading', { name: 'Refund' }).waitFor();
    approve();
    await page.getByText(/Found: 12.5 USDC to 0x/).waitFor();

    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('was already sent from this browser').waitFor();
    expect(await send.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await openRefund(page, shop, payment);
    await page.getByText(/Found: 12.5 USDC to 0x/).waitFor();
    await page.getByRole('button', { name: 'Record the refund' }).click();
    expect(await returned(shop, page, payment)).toMatchObject({ status: 'paid', refunded_amount: '12.50' });
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('sent-refund'))),
    ).toEqual([]);
    expect(wallet.asked.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
    expect(window.incidents).toEqual([]);
  });

  test('a wallet that does not answer keeps no dialog open, and one that connects after that sends nothing', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    const { promise: connects, resolve: connect } = Promise.withResolvers<void>();
    const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: shop.wallet, connects });
    await openRefund(page, shop, payment);
    const send = page.getByRole('button', { name: 'Send with Fern Wallet' });
    await send.click();
    await expect.poll(() => wallet.asked.at(-1)?.method).toBe('eth_requestAccounts');
    expect(await page.getByLabel('Amount (USDC)').isDisabled()).toBe(false);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await openRefund(page, shop, payment);
    await page.getByLabel('Amount (USDC)').fill('1');
    await send.click();
    await expect.poll(() => wallet.asked.filter(({ method }) => method === 'eth_requestAccounts').length).toBe(2);
    // Another amount is another transfer, which was not asked to be sent.
    await page.getByLabel('Amount (USDC)').fill('2');
    await send.waitFor();
    connect();
    await send.click();
    await page.getByText(/Found: 2 USDC to 0x/).waitFor();
    expect(wallet.asked.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
    expect(window.incidents).toEqual([]);
  });

  test('a refund that was sent is kept, although the browser stores nothing', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    await window.context.addInitScript(() => {
      const store = Storage.prototype.setItem;
      Storage.prototype.setItem = function (this: Storage, name: string, value: string) {
        if (name.startsWith('sent-refund')) throw new DOMException('full', 'QuotaExceededError');
        store.call(this, name, value);
      };
    });
    const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: shop.wallet });
    await openRefund(page, shop, payment);
    await page.getByLabel('Amount (USDC)').fill('3');
    await page.getByRole('button', { name: 'Send with Fern Wallet' }).click();
    await page.getByText(/Found: 3 USDC to 0x/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByText(/Found: 3 USDC to 0x/).waitFor();
    await page.getByRole('button', { name: 'Record the refund' }).click();
    expect((await returned(shop, page, payment)).status).toBe('paid');
    expect(wallet.asked.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
  });

  test('a selection of text that ends on the backdrop closes no dialog, and a click there does', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    await openRefund(page, shop, payment);
    const box = await page.getByRole('heading', { name: 'Refund' }).boundingBox();
    await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    await page.getByRole('heading', { name: 'Refund' }).waitFor();
    await page.mouse.click(5, 5);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('a refund that was begun for one payment does not stay open over another', async () => {
    const [first, second] = [await shop.paid(), await shop.paid()];
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    await page.goto(`${shop.url}/dashboard/payments/${first}`);
    await page.getByText(first, { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(second);
    await page.getByRole('option', { name: /49\.00/ }).click();
    await page.getByText(second, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByLabel('To (Ethereum)').fill(shop.chain.accounts[5]?.address as string);
    await page.goBack();
    await page.getByText(first, { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    expect(await page.getByLabel('To (Ethereum)').inputValue()).toBe(shop.customer);
    expect(window.incidents).toEqual([]);
  });

  test('another wallet than the payout wallet is asked about, and an amount or address that is being changed is never sent', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    const other = shop.chain.accounts[4]?.address as `0x${string}`;
    const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: other, name: 'Moss Wallet' });
    await openRefund(page, shop, payment);
    const send = page.getByRole('button', { name: 'Send with Moss Wallet' });
    await send.waitFor();

    // The buttons below wait for an amount and an address that can be meant.
    const [later, done] = ['Send later with others', 'I’ve sent it'].map((name) => page.getByRole('button', { name }));
    const areOff = async () =>
      expect([await send.count(), await later?.isDisabled(), await done?.isDisabled()]).toEqual([0, true, true]);
    for (const [amount, says] of [
      ['12,5,', 'Enter a number such as 12.50'],
      ['15.5000001', 'At most 6 decimals'],
      ['999', /^At most 49\.\d+ USDC$/],
    ] as const) {
      await page.getByLabel('Amount (USDC)').fill(amount);
      await page.getByText(says).waitFor();
      await areOff();
      await page.getByLabel('To (Ethereum)').fill('hello');
      await page.getByText('Not a valid address on Ethereum.').waitFor();
      await areOff();
      await page.getByLabel('To (Ethereum)').fill(shop.customer);
    }
    // While the plan for the new address is loading, the old one must not be signed.
    await page.getByLabel('Amount (USDC)').fill('5');
    await send.waitFor();
    const [requested, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/refund-plan?*', async (route) => {
      requested.resolve();
      await answered.promise;
      await route.continue();
    });
    await page.getByLabel('To (Ethereum)').fill(other);
    expect(await send.count()).toBe(0);
    await requested.promise;
    expect(await send.count()).toBe(0);
    answered.resolve();
    await send.waitFor();
    await page.unroute('**/refund-plan?*');
    // Without a plan there is nothing to sign, and the dialog says why.
    await page.route('**/refund-plan?*', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'internal_error', message: 'Not now.', param: null } } }),
    );
    await page.getByLabel('To (Ethereum)').fill(shop.chain.accounts[5]?.address as string);
    const alert = page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Not now.' });
    await alert.waitFor();
    expect(await send.count()).toBe(0);
    await page.unroute('**/refund-plan?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await send.waitFor();
    await page.getByLabel('To (Ethereum)').fill(shop.customer);
    await send.click();
    await page.getByText('which isn’t the payout wallet of this payment').waitFor();
    expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_sendTransaction');

    await page.getByRole('button', { name: 'Send from it anyway' }).click();
    await page.getByText(/Found: 5 USDC/).waitFor();
    await page.getByText('not your payout wallet').waitFor();
    await page.getByRole('button', { name: 'Record the refund' }).click();
    expect((await returned(shop, page, payment)).status).toBe('paid');
  });

  test('one that was sent elsewhere is pasted and looked up; a wrong one is not recorded by mistake', async () => {
    const payment = await shop.paid();
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    await openRefund(page, shop, payment);
    await page.getByLabel('Amount (USDC)').fill('49');
    await page.getByLabel('To (Ethereum)').fill('');
    await page.getByRole('button', { name: 'I’ve sent it' }).click();
    const record = page.getByRole('button', { name: 'Record the refund' });
    const unknown = `0x${'ab'.repeat(32)}`;
    await page.getByLabel('Transaction (optional)').fill(unknown);
    await page.getByLabel('Reason (optional)').fill('Damaged in transit');
    // What was written stays while the address is entered.
    await page.getByText('go back and enter the recipient’s address').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('To (Ethereum)').fill(shop.customer);
    await page.getByRole('button', { name: 'I’ve sent it' }).click();
    expect(await page.getByLabel('Transaction (optional)').inputValue()).toBe(unknown);
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('Damaged in transit');
    expect(await record.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Check transaction' }).click();
    await page.getByText('We couldn’t find this transaction paying this address').waitFor();
    expect(await record.isDisabled()).toBe(true);

    const hash = await shop.send('49.00', { from: shop.wallet, to: shop.customer });
    await page.getByLabel('Transaction (optional)').fill(hash);
    // Mining a block takes a second.
    await expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Check transaction' }).click();
          return page.getByText(/Found: 49 USDC/).count();
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(1);
    await record.click();
    expect(await returned(shop, page, payment)).toMatchObject({ status: 'refunded', refund: { amount: '49.00' } });
  });

  test("a contract's address causes a warning and can still be saved", async () => {
    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    const contract = await shop.chain.deploy('Balances');
    await page.goto(`${shop.url}/dashboard/wallets?new=true`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Asset and network').selectOption('USDC_ETHEREUM');
    await page.route('**/address-check?*', (route) => route.abort());
    await dialog.getByLabel('Address').fill(contract);
    const alert = dialog.getByRole('alert').filter({ hasText: 'Can’t reach the server.' });
    await alert.waitFor();
    await page.unroute('**/address-check?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('This address is a contract').waitFor();
    await dialog.getByRole('button', { name: 'Save wallet' }).click();
    await page.getByText(contract).first().waitFor();
    expect(window.incidents).toEqual([]);
  });
});

describe('on Solana', () => {
  let shop: SolanaShop;
  beforeAll(async () => {
    shop = await openSolanaShop();
  });
  afterAll(() => shop?.[Symbol.asyncDispose]());

  test('the payout wallet signs the transaction that the service built, the cluster shows it, and it is recorded', async () => {
    const { id } = await shop.session();
    const { payment: due } = await shop.service.call<any>('POST', `/v1/public/checkout/sessions/${id}/pay`, {
      pay_asset: 'USDC',
      pay_network: 'solana',
    });
    await shop.cluster.transferToken({
      mint: shop.usdc,
      from: shop.customer,
      to: shop.wallet.address,
      amount: BigInt(due.amount.replace('.', '')),
      references: [due.reference],
    });
    await expect.poll(async () => (await shop.look(id)).status, { timeout: 30_000 }).toBe('paid');
    const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
    const before = await shop.cluster.balance(shop.usdc, shop.customer.address);

    await using window = await visitAsMerchant(browser, shop);
    const { page } = window;
    const wallet = await addSolanaWallet(window.context, {
      cluster: shop.cluster,
      signer: shop.wallet,
      name: 'Lichen Wallet',
    });
    await openRefund(page, shop, payment);
    await page.getByLabel('Amount (USDC)').fill('7.25');
    wallet.answer('decline');
    await page.getByRole('button', { name: 'Send with Lichen Wallet' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'You rejected the request in your wallet. Nothing was sent.' })
      .waitFor();
    await page.getByRole('button', { name: 'Send with Lichen Wallet' }).click();
    await page.getByText(/Found: 7.25 USDC/).waitFor();
    expect(await page.getByLabel('Transaction (optional)').inputValue()).toBe(wallet.sent[0]);
    await page.getByRole('button', { name: 'Record the refund' }).click();

    expect(await returned(shop, page, payment)).toMatchObject({ status: 'paid', refunded_amount: '7.25' });
    expect((await shop.cluster.balance(shop.usdc, shop.customer.address)) - before).toBe(7_250_000n);
    expect(window.incidents).toEqual([]);
  });
});
