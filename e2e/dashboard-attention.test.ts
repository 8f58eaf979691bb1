import { startAnvil } from '@quittance/server/testing/anvil';
import { createTestDatabase, type TestDatabase } from '@quittance/server/testing/database';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, overflow } from './support/browser.ts';
import { CONFIRMATIONS, type EthereumShop, openEthereumShop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';

let browser: Browser;
let database: TestDatabase;
let shop: EthereumShop;

beforeAll(async () => {
  browser = await openBrowser();
  database = await createTestDatabase();
  // Blocks are mined by hand, so that the reorg is as deep as the test needs.
  const chain = await startAnvil();
  shop = await openEthereumShop({ DATABASE_URL: database.url }, {}, chain);
  await chain.mine(20);
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await database?.drop();
  await browser?.close();
});

test('the home page and the payment page show a payment whose final transfer has disappeared', async () => {
  const { id } = await shop.session({ order_id: 'order-7' });
  const { payment } = await shop.service.call<any>('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'ethereum',
  });
  const hash = await shop.send(payment.amount);
  await shop.chain.mine(CONFIRMATIONS);
  await expect.poll(async () => (await shop.look(id)).status, { timeout: 30_000 }).toBe('paid');
  const { payment: paymentId } = await shop.call('GET', `/v1/checkout/sessions/${id}`);

  await shop.chain.reorg(CONFIRMATIONS + 1);
  await shop.chain.mine();
  await expect
    .poll(async () => (await shop.call('GET', `/v1/payments/${paymentId}`)).settlement_alert, { timeout: 30_000 })
    .toMatchObject({ type: 'transfer_disappeared', tx_hash: hash });

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard`);
  await page.getByText('The transfer that paid it disappeared from the blockchain. Wait before you ship.').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'disappeared from the blockchain' })
    .getByRole('link', { name: '$49.00 order-7' })
    .click();
  await page.getByText('A final transfer of this payment disappeared from the blockchain.').waitFor();
  await page
    .getByText('49.', { exact: false })
    .filter({ hasText: 'USDC was removed by a chain reorganization' })
    .waitFor();
  expect(window.incidents).toEqual([]);
});

test('a transfer that was set aside is listed with its transaction, and is gone once it is marked as handled', async () => {
  // A wallet without a session is not watched.
  await shop.session();
  const hash = await shop.send('12.345678');
  await shop.chain.mine(CONFIRMATIONS);
  await unattributed(hash);
  // A transfer in the state after its last failed attempt.
  await database.db.query(
    'test_set_aside',
    'update transfers set reason = null, attempts = 3, set_aside_at = first_seen_at where tx_hash = $1',
    [hash],
  );

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard`);
  const entry = page.getByRole('listitem').filter({
    hasText: 'We could not process this transfer automatically. Assign it to a payment or mark it as handled.',
  });
  await entry.waitFor();
  expect(await entry.getByTitle(hash).count()).toBe(1);
  // The whole entry is a link, below what has a click of its own.
  await entry.getByRole('button').click({ trial: true, timeout: 5_000 });
  // Once, and not as an unattributed transfer too.
  expect(await page.getByText('12.345678 USDC').count()).toBe(1);

  await entry.getByRole('link', { name: '12.345678 USDC' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Not processed automatically' });
  await row.getByRole('button', { name: 'Mark as handled' }).click();
  await row.waitFor({ state: 'detached' });
  // One click that can be taken back, here and later.
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByRole('button', { name: 'Mark as handled' }).click();
  await page.getByLabel('Note (optional)').fill('Sent back by hand');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  const handled = page.getByRole('row').filter({ hasText: 'Sent back by hand' });
  await handled.getByText('Handled', { exact: true }).waitFor();
  await handled.getByRole('button', { name: 'Reopen' }).click();
  await handled.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'To handle' }).click();
  await row.getByRole('button', { name: 'Mark as handled' }).click();
  await row.waitFor({ state: 'detached' });
  const answered = page.waitForResponse('**/dashboard/api/attention');
  await page.goto(`${shop.url}/dashboard`);
  await answered;
  // The tokens that the wallet was given at the start.
  await page.getByText('1000000 USDC').waitFor();
  expect(await page.getByText('could not process').count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('a transfer that fits no payment is sent back: the dialog says what to send where, and keeps the word of it', async () => {
  await shop.session();
  const hash = await shop.send('3.210987');
  await shop.chain.mine(CONFIRMATIONS);
  await unattributed(hash);
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/transfers`);
  const row = page.getByRole('row').filter({ hasText: '3.210987' });
  await row.getByRole('button', { name: 'Send back' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(shop.customer, { exact: true }).waitFor();
  await dialog.getByText('3.210987 USDC · Ethereum').waitFor();
  const sent = await shop.send('3.210987', { from: shop.wallet, to: shop.customer });
  await dialog.getByLabel('Transaction').fill(sent);
  await dialog.getByRole('button', { name: 'I’ve sent it' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await row.getByText(`Sent back: ${sent}`, { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Reopen' }).waitFor();
  expect(window.incidents).toEqual([]);
});

test('a transaction that could not be stored is listed with its hash', async () => {
  const hash = `0x${'ab'.repeat(32)}`;
  await database.db.query(
    'test_not_stored',
    `
    insert into set_aside_transactions (network, tx_hash, to_addresses, block_number, error, at)
    values ('ethereum', $2, array[$1], 1, 'not stored', now())`,
    [shop.wallet, hash],
  );
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard`);
  const entry = page.getByRole('listitem').filter({
    hasText:
      'We could not store this transaction. Look it up in the explorer and send its hash to the operator of this server.',
  });
  await entry.waitFor();
  expect(await entry.getByTitle(hash).count()).toBe(1);
  expect(window.incidents).toEqual([]);
});

test('a busy address says how many transfers were not listed and how to list all', async () => {
  await database.db.query(
    'test_busy',
    `
    insert into address_activity (network, address, hour, skipped, dust) values ('ethereum', $1, date_trunc('hour', now()), 7, 1)
        on conflict (network, address, hour) do update set skipped = 7, dust = 1`,
    [shop.wallet],
  );
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard`);
  const entry = page
    .getByRole('listitem')
    .filter({ hasText: 'This address receives more transfers than we list for an unverified wallet.' });
  await entry.waitFor();
  expect(await entry.textContent()).toContain(
    '7 transfers were not listed in the last 24 hours. 1 transfer below 0.01 USD was not listed in the last 24 hours.',
  );
  await entry.getByRole('link').click();
  await page.getByRole('button', { name: 'Verify ownership' }).waitFor();

  await database.db.query(
    'test_prove',
    `insert into address_owners (livemode, network, address, account_id, method, proved_at)
     select livemode, network, address, account_id, 'signature', created_at from payout_wallets on conflict do nothing`,
  );
  await page.goto(`${shop.url}/dashboard`);
  await page.getByText('7 transfers were not listed in the last 24 hours.').waitFor();
  expect(await page.getByText('unverified wallet').count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('more than five payments and transfers are counted with a plus, and lead to the whole lists', async () => {
  for (let count = 0; count < 6; count++) {
    const { id } = await shop.session();
    await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, {
      pay_asset: 'USDC',
      pay_network: 'ethereum',
    });
    await shop.send(`3.0${count}`);
  }
  await shop.chain.mine(CONFIRMATIONS);
  await expect
    .poll(async () => (await shop.call('GET', '/v1/transfers?unattributed=true')).length, { timeout: 30_000 })
    .toBeGreaterThan(5);
  await database.db.query(
    'test_undecided',
    "update payments set status = 'refund_required', failure_reason = 'underpaid' where status <> 'paid'",
  );

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  for (const [name, address] of [
    ['Needs a decision', /\/payments\?status=refund_required$/],
    ['Unattributed transfers', /\/transfers$/],
  ] as const) {
    await page.goto(`${shop.url}/dashboard`);
    const group = page.getByRole('region', { name });
    await group.getByText(/^\d+\+$/).waitFor();
    await group.getByRole('link', { name: 'Show all' }).click();
    await expect.poll(() => page.url()).toMatch(address);
  }
  expect(window.incidents).toEqual([]);
});

test('more than five refunds that customers have answered are counted with a plus, and lead to the refunds', async () => {
  const payment = await asked();
  const link = { status: 'answered', answered_at: new Date().toISOString() };
  const money = { amount: '1.00', currency: 'USD', coin_amount: '1.000000', asset: 'USDC', network: 'ethereum' };
  const refunds = Array.from({ length: 6 }, (_, at) => ({
    id: `rf_${at}`,
    payment,
    status: 'requested',
    link,
    ...money,
  }));
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.route('**/v1/payments?status=refund_required*', (route) =>
    route.fulfill({ json: { data: [], pagination: { cursor: null, has_more: false } } }),
  );
  await page.route('**/dashboard/api/attention', async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, refunds } } });
  });
  await page.goto(`${shop.url}/dashboard`);
  const group = page.getByRole('region', { name: 'Needs a decision' });
  await expect.poll(() => group.getByRole('listitem').count()).toBeGreaterThanOrEqual(5);
  await group.getByText(/^\d\+$/).waitFor();
  await group.getByRole('link', { name: 'Show all' }).click();
  await expect.poll(() => page.url()).toMatch(/\/refunds$/);
  expect(window.incidents).toEqual([]);
});

test('a page that could not read all of its data says so, beside what it could read', async () => {
  const payment = await asked();
  // No customer was asked for this.
  await shop.send('2.34');
  await shop.chain.mine(CONFIRMATIONS);
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  const alert = page.getByRole('alert').filter({ hasText: 'Not now.' });
  const transfers = page.getByRole('region', { name: 'Unattributed transfers' });

  await page.route('**/dashboard/api/attention', refuse);
  await page.goto(`${shop.url}/dashboard`);
  await alert.waitFor();
  await transfers.waitFor();
  await page.getByRole('link', { name: 'Refunds', exact: true }).click();
  await page.getByRole('heading', { name: 'Refunds' }).waitFor();
  await alert.waitFor();
  expect(await page.getByText('No refund to send').count()).toBe(0);
  await page.unroute('**/dashboard/api/attention');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No refund to send').waitFor();
  await alert.waitFor({ state: 'detached' });

  await page.route('**/v1/payout-wallets', refuse);
  await page.goto(`${shop.url}/dashboard`);
  await alert.waitFor();
  await transfers.waitFor();

  await page.route('**/dashboard/api/payments/*/money', refuse);
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await alert.waitFor();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await page.unroute('**/dashboard/api/payments/*/money');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  expect(window.incidents).toEqual([]);
});

test('on a phone, what needs attention stands above the chart', async () => {
  await using window = await visitAsMerchant(browser, shop, { phone: true });
  const { page } = window;
  await page.goto(`${shop.url}/dashboard`);
  const attention = await page.getByText('Needs attention').boundingBox();
  const volume = await page.getByText('Volume', { exact: true }).boundingBox();
  expect(attention?.y).toBeLessThan(volume?.y ?? 0);
  expect(window.incidents).toEqual([]);
});

test('on a phone, a transfer is assigned to the order that it was meant for, which is then paid', async () => {
  const { id } = await shop.session({ amount: '31.00', order_id: 'order-8' });
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'ethereum',
  });
  // Rounded, so that it names no order; its customer does.
  const hash = await shop.send('31');
  await shop.chain.mine(CONFIRMATIONS);
  await unattributed(hash);
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/transactions`, { tx_hash: hash });

  await using window = await visitAsMerchant(browser, shop, { phone: true });
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/transfers`);
  const row = page.getByRole('row').filter({ hasText: '31 USDC' });
  await row.getByText('Named by the customer of: order-8').waitFor();
  await row.getByRole('button', { name: 'Assign' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Anyone who knows it can do that').waitFor();
  const submit = dialog.getByRole('button', { name: 'Assign' });
  // Nothing is chosen for the merchant.
  await dialog.getByText('Payments that fit, best match first').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await dialog.getByRole('radio', { name: /order-8/ }).check();
  expect(await overflow(page)).toBe(0);
  await submit.click();
  await dialog.waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'All', exact: true }).click();
  await row.getByRole('link', { name: 'order-8' }).click();
  await page.getByRole('heading', { name: '$31.00' }).waitFor();
  await page.getByRole('listitem').filter({ hasText: /^Paid/ }).waitFor();
  expect((await shop.look(id)).status).toBe('paid');
  expect(await overflow(page)).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('a wallet that a live key added is listed on Home, and is used once its owner has confirmed the whole address', async () => {
  await shop.account({ confirm_key_wallets: true });
  const address = shop.chain.accounts[8]?.address ?? '';
  const { id } = await shop.call('POST', '/v1/payout-wallets', { asset: 'USDC', network: 'ethereum', address });
  await expect(shop.session({ payout_wallet_id: id })).rejects.toThrow();

  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard`);
  const entry = page.getByRole('listitem').filter({ hasText: 'Confirm it before payments can settle to it.' });
  await entry.getByRole('link').first().click();
  await page.getByText('Waits for you').waitFor();
  await page.getByRole('button', { name: 'Confirm this wallet' }).click();
  await page.getByRole('dialog').getByText(address, { exact: true }).waitFor();
  await page.route('**/dashboard/api/payout-wallets/*/confirm', refuse, { times: 1 });
  await page.getByRole('button', { name: 'Yes, it’s mine' }).click();
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
  await page.getByRole('button', { name: 'Yes, it’s mine' }).click();
  await page.getByText('Waits for you').waitFor({ state: 'detached' });
  await shop.session({ payout_wallet_id: id });
  expect(window.incidents).toEqual([]);
});

/** The payment of a customer who has chosen how to pay. */
async function asked(): Promise<string> {
  const { id } = await shop.session();
  const how = { pay_asset: 'USDC', pay_network: 'ethereum' };
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, how);
  return (await shop.call('GET', `/v1/checkout/sessions/${id}`)).payment;
}

function refuse(route: Route): Promise<void> {
  return route.fulfill({ status: 503, json: { error: { code: 'internal_error', message: 'Not now.', param: null } } });
}

async function unattributed(hash: string): Promise<void> {
  const hashes = async () =>
    (await shop.call('GET', '/v1/transfers?unattributed=true')).map((one: { tx_hash: string }) => one.tx_hash);
  await expect.poll(hashes, { timeout: 30_000 }).toContain(hash);
}
