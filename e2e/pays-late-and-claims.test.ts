import { createTestDatabase, type TestDatabase } from '@quittance/server/testing/database';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';

let database: TestDatabase;
let shop: EthereumShop;
let browser: Browser;
beforeAll(async () => {
  database = await createTestDatabase();
  shop = await openEthereumShop({ DATABASE_URL: database.url });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await database?.drop();
});

const SESSION_SECONDS = 600;

/** The countdown reaches its end on the page, then the service finds that the time is up since the newest block. */
async function runOutOfTime(
  page: Page,
  session: string,
  meanwhile = async () => {},
  end = 'No payment for this order was found.',
): Promise<void> {
  await page.clock.fastForward(SESSION_SECONDS * 1_000);
  await page.getByText('We’re checking for payments sent before the deadline.').waitFor();
  await meanwhile();
  const { time } = await shop.chain.head();
  await database.db.query('test_end', 'update payments set expires_at = $2 where session_id = $1', [session, time]);
  // The heading is the same while the service still looks for money.
  await page.getByText(end).waitFor();
}

test('a payment sent in time but unrecognisable is claimed by a signature after the time is up', async () => {
  const { checkout_url: url, id } = await shop.session({ expires_in: SESSION_SECONDS });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const payer = shop.chain.accounts[3]?.address as `0x${string}`;
  await addEthereumWallet(window.context, { chain: shop.chain, account: payer });
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  // A wallet that rounded up: enough, but not a reserved amount.
  const hash = await shop.send('50', { from: payer });
  await shop.chain.included(hash);

  // What is typed while the service still looks for money stays when it has given up.
  await runOutOfTime(page, id, () => page.getByLabel('Transaction hash').fill(hash));
  expect(await page.getByLabel('Transaction hash').inputValue()).toBe(hash);
  await page.getByRole('button', { name: 'Sign with Fern Wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor({ timeout: 60_000 });
  await page.getByText('too much').waitFor();
  expect((await shop.look(id)).status).toBe('paid');
  expect(window.incidents).toEqual([]);
});

test('who paid by a wallet that gave no answer is warned after the time is up too, and keeps what they type', async () => {
  const { checkout_url: url, id } = await shop.session({ expires_in: SESSION_SECONDS });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  wallet.answerTo('eth_sendTransaction', 'break');
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  const warning = page.getByRole('alert').filter({ hasText: 'No response from your wallet.' });
  await warning.waitFor();

  const hash = `0x${'5c'.repeat(32)}`;
  const type = async () => {
    await warning.waitFor();
    await page.getByLabel('Transaction hash').fill(hash);
  };
  await runOutOfTime(
    page,
    id,
    type,
    'Your transaction isn’t recognized as a payment for this order yet. We keep looking.',
  );
  await warning.waitFor();
  expect(await page.getByLabel('Transaction hash').inputValue()).toBe(hash);
  expect(window.incidents).toEqual([]);
});

test('a time that is up only by a clock that was set wrongly is taken back with the next answer', async () => {
  const { checkout_url: url } = await shop.session({ expires_in: SESSION_SECONDS });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await page.clock.fastForward(SESSION_SECONDS * 1_000);
  await page.getByText('We’re checking for payments sent before the deadline.').waitFor();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.locator('[data-address]').waitFor();
  expect(await page.locator('.countdown').textContent()).toContain('9:');
});

test('a rejected signature of a claim is said, and leaves every other way to pay', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await page.locator('summary').getByText('Already sent?').click();
  const hash = page.getByLabel('Transaction hash');
  const refusal = page.getByRole('alert').filter({ hasText: 'That isn’t a valid transaction hash' });
  await hash.fill('0x12');
  await page.getByRole('button', { name: 'Find payment' }).click();
  await refusal.waitFor();
  await hash.fill(`0x${'5c'.repeat(32)}`);
  wallet.answerTo('personal_sign', 'decline');
  await page.getByRole('button', { name: 'Sign with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'You rejected the request in your wallet.' }).waitFor();
  expect(await hash.inputValue()).toBe(`0x${'5c'.repeat(32)}`);
  expect(await refusal.count()).toBe(0);
  const pay = page.getByRole('button', { name: 'Pay with Fern Wallet' });
  expect(await pay.isEnabled()).toBe(true);
  expect(await page.getByText('Sign the message in').count()).toBe(0);

  // A proxy's error page does not come from the service.
  await page.route('**/transactions', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
  await page.getByRole('button', { name: 'Sign with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'Something went wrong.' }).waitFor();
  expect(await pay.isEnabled()).toBe(true);
});

test('a late payment is where the merchant can take it, and the page says so until they do', async () => {
  const { checkout_url: url, id } = await shop.session({
    expires_in: SESSION_SECONDS,
    cancel_url: 'https://fern-and-fog.example/basket',
  });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  const amount = (await page.locator('[data-amount]').textContent()) ?? '';
  await runOutOfTime(page, id);
  expect(await page.getByRole('link', { name: 'Back to the store' }).getAttribute('href')).toBe(
    'https://fern-and-fog.example/basket',
  );

  await shop.send(amount);
  await page
    .getByRole('heading', { name: 'We received your payment, but it needs the merchant’s attention' })
    .waitFor({ timeout: 60_000 });
  await page.getByText('Your payment arrived after the checkout expired.').waitFor();
  await page.getByText('The funds are in the merchant’s wallet.').waitFor();
  const contact = page.getByRole('link', { name: 'Contact Fern & Fog' });
  expect(await contact.getAttribute('href')).toContain(`mailto:help@fern-and-fog.example?subject=Payment%20${id}`);
  // The shop would have them pay again.
  expect(await contact.getAttribute('class')).toBe('button primary');
  await page.getByText('Don’t pay again.').waitFor();

  const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
  await shop.service.call('POST', `/v1/payments/${payment}/accept`, {}, shop.login);
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(window.incidents).toEqual([]);
});
