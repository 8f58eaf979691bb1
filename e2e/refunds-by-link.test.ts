import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from 'vitest';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { overflow, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';
import { beforeStories } from './support/stories.ts';

let shop: EthereumShop;
let browser: Browser;
beforeStories(openEthereumShop, (...opened) => void ([shop, browser] = opened));

/** The link that the merchant makes in the dialog. */
async function makeLink(page: Page, payment: string, amount: string): Promise<string> {
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await askByLink(page, amount);
  return linkShown(page);
}

async function askByLink(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByLabel('Ask the customer for the address, by a link').check();
  await page.getByLabel('Amount (USDC)').fill(amount);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    await held;
    await route.fallback();
  };
  await page.route('**/v1/payments/*/refunds', hold, { times: 1 });
  await page.getByRole('button', { name: 'Create the link' }).click();
  // The link is shown only once, so the dialog stays until it is there.
  await page.keyboard.press('Escape');
  release();
}

async function linkShown(page: Page): Promise<string> {
  const link = page.getByText(/\/refund\/[0-9A-Za-z]{43}$/);
  await link.waitFor();
  const url = (await link.textContent()) ?? '';
  await page.getByRole('button', { name: 'Close' }).click();
  return url;
}

/**
 * What a person does with their hands. The seconds are those of the keystroke-level model (Card, Moran, Newell 1980): 1.35 to
 * decide and 1.1 to point before each click of 0.2, and 0.28 for each key of an average typist; 0.4 to move the hand to the
 * keys, and back.
 */
class Hands {
  clicks = 0;
  fields = 0;
  characters = 0;

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async type(field: Locator, text: string): Promise<void> {
    await this.click(field);
    this.fields += 1;
    this.characters += text.length;
    await field.fill(text);
  }

  get seconds(): number {
    return this.clicks * (1.35 + 1.1 + 0.2) + this.fields * 2 * 0.4 + this.characters * 0.28;
  }

  toString(): string {
    const { clicks, fields, characters, seconds } = this;
    return `${clicks} clicks, ${fields} fields, ${characters} characters, ${seconds.toFixed(0)} s of hands`;
  }
}

async function objections(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze();
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
}

const statusOf = async (payment: string) => (await shop.call('GET', `/v1/refunds?payment=${payment}`))[0]?.status;

test('a customer without a wallet here enters an address without a script, and the merchant confirms it twice', async () => {
  const payment = await shop.paid();
  const other = shop.chain.accounts[5]?.address as string;
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  const url = await makeLink(page, payment, '7.25');
  await page.getByText('The customer has the link until').waitFor();

  await using customer = await visit(browser, shop.url, { javaScriptEnabled: false, phone: true, locale: 'de-DE' });
  await customer.page.goto(url);
  await customer.page.getByText('7,25 USDC', { exact: true }).waitFor();
  await customer.page.getByLabel('USDC-Adresse').fill('0x1234');
  await customer.page.getByRole('button', { name: 'Weiter' }).click();
  await customer.page.getByRole('alert').waitFor();
  expect(await customer.page.getByLabel('USDC-Adresse').inputValue()).toBe('0x1234');
  await customer.page.getByLabel('USDC-Adresse').fill(other);
  await customer.page.getByRole('button', { name: 'Weiter' }).click();
  await customer.page.getByRole('heading', { name: 'Stimmt diese Adresse?' }).waitFor();
  expect(await customer.page.locator('.address').textContent()).toBe(other);
  await customer.page.getByRole('button', { name: 'Diese Adresse senden' }).click();
  await customer.page.getByText('Wir haben Ihre Adresse').waitFor();
  // What it is for and what it brings stay in sight.
  for (const text of ['Two ferns', '7,25 USDC', 'Bewahren Sie diesen Link auf'])
    expect(await customer.page.getByText(text).count()).toBe(1);
  expect(customer.incidents).toEqual([]);

  const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: shop.wallet });
  await page.goto(`${shop.url}/dashboard`);
  await page.getByText('The customer entered an address for this refund. Confirm it.').waitFor();
  await page.getByRole('link', { name: 'Refunds', exact: true }).click();
  expect(await page.getByRole('link', { name: 'Refunds', exact: true }).getAttribute('title')).toBe(
    'Needs attention: 1',
  );
  await page
    .getByRole('region', { name: 'Addresses to confirm' })
    .getByRole('link', { name: 'Check the address' })
    .click();
  await page.getByText('Address to confirm', { exact: true }).waitFor();
  await page.getByText('The customer entered an address for this refund. Confirm it.').waitFor();
  expect(await page.getByRole('button', { name: 'Refund', exact: true }).getAttribute('class')).not.toContain(
    'bg-accent',
  );
  await page.getByText('Refund link created', { exact: true }).waitFor();
  await page.route('**/refund-plan?to=*', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'internal_error', message: 'Not now.', param: null } } }),
  );
  // Beside the sentence that asks for it, as well as beside its refund below.
  const check = page.getByRole('button', { name: 'Check the address' });
  expect(await check.count()).toBe(2);
  await check.first().click();
  await page.getByRole('dialog').getByText(other, { exact: true }).waitFor();
  // What warns of the address comes before the word that it is right.
  const isRight = page.getByRole('button', { name: 'The address is right' });
  expect(await isRight.isDisabled()).toBe(true);
  const alert = page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Not now.' });
  await alert.waitFor();
  expect(await isRight.isDisabled()).toBe(true);
  await page.unroute('**/refund-plan?to=*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('didn’t send anything to this payment').waitFor();
  await isRight.click();
  expect(await statusOf(payment)).toBe('requested');
  await page.getByRole('button', { name: /^Confirm 7.25 USDC to this address$/ }).click();
  // The dialog goes on with what is left to do.
  await page.getByRole('heading', { name: 'Send this refund' }).waitFor();
  await page.getByRole('button', { name: 'Send with Fern Wallet' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => statusOf(payment), { timeout: 60_000 }).toBe('final');
  expect(wallet.asked.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
  expect(await shop.call('GET', `/v1/payments/${payment}`)).toMatchObject({ status: 'paid', refunded_amount: '7.25' });
  await customer.page.goto(url);
  await customer.page.getByText('angekommen').waitFor();
  const { session } = await shop.call('GET', `/v1/payments/${payment}`);
  const [{ tx_hash: hash }] = await shop.call('GET', `/v1/refunds?payment=${payment}`);
  for (const path of ['checkout', 'receipt']) {
    await customer.page.goto(`${shop.url}/${path}/${session}`);
    for (const text of ['7,25 USDC', hash]) await customer.page.locator('.facts').getByText(text).waitFor();
  }
  expect(window.incidents).toEqual([]);
});

test('a link whose answer was lost is shown by the next attempt, although the form was closed, and is the only one', async () => {
  const payment = await shop.paid();
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  let made: string | undefined;
  await page.route(
    '**/v1/payments/*/refunds',
    async (route) => {
      made = (await (await route.fetch()).json()).data.link.url;
      await route.abort();
    },
    { times: 1 },
  );
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await askByLink(page, '2.50');
  await page.getByRole('alert').filter({ hasText: 'Can’t reach the server.' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await askByLink(page, '2.50');
  expect(await linkShown(page)).toBe(made);
  expect(await shop.call('GET', `/v1/refunds?payment=${payment}`)).toHaveLength(1);
  expect(window.incidents).toEqual([]);
});

test('Back leads through the steps of the page of a refund, and sends nothing again', async () => {
  const payment = await shop.paid();
  await using window = await visitAsMerchant(browser, shop);
  const url = await makeLink(window.page, payment, '1.00');
  await using customer = await visit(browser, shop.url, { phone: true });
  const { page } = customer;
  await page.goto(url);
  await page.getByRole('textbox').fill('0x1234');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('textbox').fill(shop.chain.accounts[5]?.address as string);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Send this address' }).waitFor();
  await page.goBack();
  await page.getByRole('textbox').waitFor();
  await page.goForward();
  await page.getByRole('textbox').fill(shop.chain.accounts[6]?.address as string);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Send this address' }).click();
  await page.getByText('We have your address').waitFor();
  await page.goBack();
  await page.getByText('We have your address').waitFor();
  expect(customer.incidents).toEqual([]);
});

test('a refund is cancelled only after the merchant was asked, because the customer can answer a link only once', async () => {
  const payment = await shop.paid();
  await shop.call('POST', `/v1/payments/${payment}/refunds`, { amount: '3.00', link: {} });
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  const cancel = page.getByRole('button', { name: 'Cancel this refund' });
  await cancel.click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this refund?' });
  await dialog.getByText('plan it again or send them a new link').waitFor();
  await dialog.getByRole('button', { name: 'Back' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await statusOf(payment)).toBe('requested');
  await cancel.click();
  await dialog.getByRole('button', { name: 'Cancel this refund' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await statusOf(payment)).toBe('cancelled');
  expect(window.incidents).toEqual([]);
});

test('a refund whose transaction sent something else is cancelled with what to do about that', async () => {
  const payment = await shop.paid();
  const sent = await shop.send('2.00', { from: shop.wallet, to: shop.customer });
  await shop.call('POST', `/v1/payments/${payment}/refunds`, { amount: '3.00', to: shop.customer, tx_hash: sent });
  const mismatch = async () => (await shop.call('GET', `/v1/refunds?payment=${payment}`))[0]?.mismatch;
  await expect.poll(mismatch, { timeout: 60_000 }).toMatchObject({ coin_amount: '2.000000' });
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/payments/${payment}`);
  await page.getByRole('button', { name: 'Cancel this refund' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The transaction sent 2 USDC instead.').waitFor();
  expect(await dialog.getByText('plan it again').count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('a customer whose wallet paid signs, and only the sending is left to the merchant', async () => {
  const payment = await shop.paid();
  await using window = await visitAsMerchant(browser, shop);
  const url = await makeLink(window.page, payment, '5');
  await using customer = await visit(browser, shop.url);
  const other = shop.chain.accounts[6]?.address as `0x${string}`;
  await addEthereumWallet(customer.context, { chain: shop.chain, account: other, name: 'Moss Wallet' });
  const own = await addEthereumWallet(customer.context, {
    chain: shop.chain,
    account: shop.customer,
    name: 'Fern Wallet',
  });
  const { page } = customer;
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign with Moss Wallet' }).click();
  await page.getByText('This wallet didn’t pay').waitFor();
  own.answer('decline');
  await page.getByRole('button', { name: 'Sign with Fern Wallet' }).click();
  await page.getByText('You rejected the request in your wallet.').waitFor();
  expect(await statusOf(payment)).toBe('requested');
  await page.getByRole('button', { name: 'Sign with Fern Wallet' }).click();
  await page.getByText('We have your address').waitFor();
  expect(await page.getByText(shop.customer, { exact: true }).count()).toBe(1);
  expect(await statusOf(payment)).toBe('planned');
  expect(own.asked.map(({ method }) => method)).not.toContain('eth_sendTransaction');
  expect(customer.incidents).toEqual([]);
});

test('a refund by a link takes fourteen clicks of the merchant and four of the customer, who types the address', async () => {
  const payment = await shop.paid();
  const [merchant, customer] = [new Hands(), new Hands()];
  const other = shop.chain.accounts[7]?.address as string;
  await using window = await visitAsMerchant(browser, shop);
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain, account: shop.wallet });
  await using theirs = await visit(browser, shop.url, { phone: true });
  const { page } = window;
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  await page.goto(`${shop.url}/dashboard`);
  const begun = performance.now();
  await merchant.click(page.locator(`a[href*='${payment}']`, { hasText: '$49.00' }).first());
  await page.waitForURL(`**/payments/${payment}`);
  await merchant.click(button('Refund'));
  await merchant.click(page.getByLabel('Ask the customer for the address, by a link'));
  await merchant.click(button('Create the link'));
  await merchant.click(button(/^Copy .*\/refund\//));
  const url = await page.evaluate(() => navigator.clipboard.readText());
  await merchant.click(button('Close'));

  // A click opens the link wherever the merchant has sent it.
  customer.clicks += 1;
  await theirs.page.goto(url);
  await customer.type(theirs.page.getByRole('textbox'), other);
  await customer.click(theirs.page.getByRole('button', { name: 'Continue' }));
  await customer.click(theirs.page.getByRole('button', { name: 'Send this address' }));
  await theirs.page.getByText('We have your address').waitFor();

  // The merchant comes back later, by a bookmark or by the mail.
  merchant.clicks += 1;
  await page.goto(`${shop.url}/dashboard`);
  await merchant.click(page.getByRole('link', { name: /^Refund .*49/ }));
  await merchant.click(button('Check the address').first());
  await merchant.click(button('The address is right'));
  await merchant.click(button(/^Confirm .* to this address$/));
  await merchant.click(button('Send with Fern Wallet'));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const script = (performance.now() - begun) / 1_000;
  // The wallet asks for the account and for the transaction.
  merchant.clicks += wallet.asked.filter(({ method }) => /^eth_(requestAccounts|sendTransaction)$/.test(method)).length;
  await expect.poll(() => statusOf(payment), { timeout: 60_000 }).toBe('final');

  console.log(`refund by a link: merchant ${merchant}; customer ${customer}; the pages took ${script.toFixed(1)} s`);
  expect(merchant).toMatchObject({ fields: 0, characters: 0 });
  expect(merchant.clicks).toBeLessThanOrEqual(14);
  expect(customer).toMatchObject({ clicks: 4, fields: 1 });
  expect(merchant.seconds).toBeLessThan(60);
});

test.each([
  ['a phone in Arabic, dark', { phone: true, locale: 'ar-AE', colorScheme: 'dark' as const }],
  ['a desktop in English, light', { locale: 'en-US', colorScheme: 'light' as const }],
])('the page is accessible and fits on %s', async (name, options) => {
  const payment = await shop.paid();
  const made = await shop.call('POST', `/v1/payments/${payment}/refunds`, { amount: '1.00', link: {} });
  await using customer = await visit(browser, shop.url, options);
  await customer.page.goto(made.link.url);
  await customer.page.getByRole('textbox').waitFor();
  if (process.env.SHOTS)
    await customer.page.screenshot({ path: `${process.env.SHOTS}/${name[2]}.png`, fullPage: true });
  expect(await objections(customer.page)).toEqual([]);
  expect(await overflow(customer.page)).toBe(0);
});
