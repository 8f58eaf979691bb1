import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop, openShop, type Shop } from './support/shop.ts';

let shop: EthereumShop;
let testShop: Shop;
let browser: Browser;
beforeAll(async () => {
  // Amounts in ether are valid only for a while, so that a tab can have an old one.
  shop = await openEthereumShop(
    { PRICES_FIXED: 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30,TRX=0.15,EUR=1.08' },
    { asset: 'ETH' },
  );
  testShop = await openShop({
    mode: 'test',
    wallet: { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await testShop?.[Symbol.asyncDispose]();
  await shop?.[Symbol.asyncDispose]();
});

test('a tab that lost its connection asks the service once more before a wallet is asked to pay, and rejects an old amount', async () => {
  const { checkout_url: url, id } = await shop.session({ currency: 'EUR' });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();

  // The service would return another amount by now, and this tab does not know.
  const { payment } = await shop.look(id);
  await page.route('**/v1/public/checkout/sessions/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.data.payment.amount = body.data.payment.amount_due = `1${payment.amount}`;
    await route.fulfill({ response: answer, json: body });
  });
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'This payment is already in progress' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_requestAccounts');
});

test.each<[string, (session: any) => void]>([
  [
    'was paid by another device',
    ({ payment }) => Object.assign(payment, { amount_seen: payment.amount, amount_due: '0' }),
  ],
  ['has got a part', ({ payment }) => Object.assign(payment, { amount_seen: '0.001', amount_due: '0.01' })],
  ['has ended', (session) => Object.assign(session, { status: 'expired' })],
  ['has run out of time', (session) => Object.assign(session, { expires_at: session.server_time })],
])('a session that %s while the wallet connected asks for nothing more', async (_, change) => {
  const { checkout_url: url } = await shop.session({ currency: 'EUR' });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  const methods = () => wallet.asked.map(({ method }) => method);
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  let isChanged = false;
  await page.route('**/v1/public/checkout/sessions/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    isChanged = methods().includes('eth_requestAccounts');
    if (isChanged) change(body.data);
    await route.fulfill({ response: answer, json: body });
  });
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await expect.poll(() => isChanged, { timeout: 15_000 }).toBe(true);
  await page.getByText('Confirm the payment in').waitFor({ state: 'detached' });
  await page.getByText('Checking your balance').waitFor({ state: 'detached' });
  expect(methods()).not.toContain('eth_sendTransaction');
});

test('a direct payment whose address changes is hidden, whatever changed it', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await page.route('**/v1/public/checkout/sessions/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.data.payment.address = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
    await route.fulfill({ response: answer, json: body });
  });
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'Something on this device changed the payment details' }).waitFor();
  expect(await page.content()).not.toContain('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
  expect(wallet.asked.map(({ method }) => method)).not.toContain('eth_sendTransaction');
});

test('a choice in one tab is shown in the other', async () => {
  const { checkout_url: url } = await testShop.session();
  await using window = await visit(browser, testShop.url);
  const [one, two] = [window.page, await window.context.newPage()];
  await one.goto(url);
  await two.goto(url);
  await one.getByRole('button', { name: 'Continue with' }).click();
  await two.locator('[data-address]').waitFor();
  const amount = await two.locator('[data-amount]').textContent();
  expect(await one.locator('[data-amount]').textContent()).toBe(amount);

  // The other tab chooses another asset; the first one follows.
  await choose(two, 'BTC Bitcoin', 'Continue with BTC on Bitcoin');
  await two.getByLabel('Your BTC address on Bitcoin').fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq');
  await two.getByRole('button', { name: 'Continue', exact: true }).click();
  await one.getByText('on Bitcoin', { exact: true }).first().waitFor();
  expect(await one.locator('[data-address]').textContent()).toBe(await two.locator('[data-address]').textContent());
  expect(window.incidents).toEqual([]);
});

test('a form from a tab without scripts that was left open over the end is answered with how it stands', async () => {
  const { checkout_url: url, id } = await testShop.session();
  await using window = await visit(browser, testShop.url, { javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  await testShop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'expire' });
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'This payment is already in progress' }).waitFor();
  await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor();
  expect(await page.locator('[data-address]').count()).toBe(0);
});

test('a checkout that takes one coin asks nothing, and one that takes one converted coin asks for the refund address', async () => {
  await using window = await visit(browser, testShop.url);
  const { page } = window;
  const direct = await testShop.session({ accepted_assets: ['USDC_BASE'] });
  await page.goto(direct.checkout_url);
  await page.locator('[data-address]').waitFor();
  expect(await page.getByRole('link', { name: 'Pay with a different coin' }).count()).toBe(0);

  const routed = await testShop.session({ accepted_assets: ['BTC_BITCOIN'] });
  await page.goto(routed.checkout_url);
  await page.getByLabel('Your BTC address on Bitcoin').waitFor();
  expect(window.incidents).toEqual([]);
});

test('a page without reachable networks checks again automatically, with a script and without', async () => {
  await using dark = await openShop({
    wallet: { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
  const { checkout_url: url } = await dark.session();
  // A network counts as reachable until a request to it has failed.
  const isReachable = async () => (await (await fetch(`${dark.url}/readyz`)).json()).networks.base.reachable;
  await expect.poll(isReachable, { timeout: 60_000, interval: 200 }).toBe(false);
  await using window = await visit(browser, dark.url);
  const { page } = window;
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
  await page.route('**/v1/public/checkout/sessions/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const option of body.data.options) option.available = option.kind === 'direct';
    await route.fulfill({ response: answer, json: body });
  });
  // The script may not be loaded yet when the clock is moved for the first time.
  await expect
    .poll(
      async () => {
        await page.clock.runFor(11_000);
        return page.getByRole('button', { name: 'Continue with USDC on Base' }).isVisible();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(true);

  await using plain = await visit(browser, dark.url, { javaScriptEnabled: false });
  await plain.page.goto(url);
  expect(await plain.page.content()).toContain('http-equiv="refresh"');
});

test('a wallet that has sent leaves nothing on the page that could be sent once more', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  // The event stream is blocked, so that the page knows only the wallet's response.
  await page.route('**/v1/public/checkout/sessions/*/events', (route) => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByText('Your wallet sent the payment.').waitFor();
  expect(await page.locator('[data-address]').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Pay with Fern Wallet' }).count()).toBe(0);
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
});

test('a page whose wallet has sent asks for nothing after a reload or in another tab, unless the customer says that nothing was sent', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const [page, other] = [window.page, await window.context.newPage()];
  await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await other.goto(url);
  await other.locator('[data-address]').waitFor();
  // Until there is a block, the service knows nothing of what was sent.
  await using held = await shop.holdBlocks();
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await seeSent(page);
  await page.reload();
  await seeSent(page);
  await page.getByText('Waiting for the network').waitFor();
  expect(await page.getByLabel('Transaction hash').isVisible()).toBe(false);
  await page.goto(`${url}?view=choose`);
  await seeSent(page);
  await seeSent(other);

  await other.getByText('My wallet shows that nothing was sent').click();
  await other.getByText('Check this transaction first.').waitFor();
  await other.getByRole('link', { name: 'Try again' }).click();
  await other.locator('[data-address]').waitFor();
  await page.reload();
  await page.locator('[data-address]').waitFor();
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).waitFor();
  await held[Symbol.asyncDispose]();
  for (const one of [page, other]) await one.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('sent')))).toEqual([]);
  expect(window.incidents).toEqual([]);
});

test('a wallet that has taken calls has sent, also while it does not say which transaction it is, and after a reload', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await addEthereumWallet(window.context, { chain: shop.chain, batches: true });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await using held = await shop.holdBlocks();
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await seeSent(page);
  await page.reload();
  await seeSent(page);
  await held[Symbol.asyncDispose]();
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
});

test('a claim that is not signed leaves in sight that the wallet has sent', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await using held = await shop.holdBlocks();
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await seeSent(page);
  const hash = (await page.locator('.sent code').textContent()) ?? '';
  await page.locator('summary').getByText('Already sent?').click();
  await page.getByLabel('Transaction hash').fill(hash);
  wallet.answerTo('personal_sign', 'decline');
  await page.getByRole('button', { name: 'Sign with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'You rejected the request in your wallet.' }).waitFor();
  await seeSent(page);
  await held[Symbol.asyncDispose]();
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
});

test('a page that was paid meanwhile shows it after the browser goes back', async () => {
  const { checkout_url: url, id } = await testShop.session();
  await using window = await visit(browser, testShop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await page.goto(`${testShop.url}/docs`);
  await testShop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'paid' });
  await page.goBack();
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
});

test('a page that could not load what follows a payment is opened again after a while, and shows how it went on', async () => {
  const { checkout_url: url, id } = await testShop.session();
  await using window = await visit(browser, testShop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  const act = (action: string) => testShop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action });
  await act('unconfirmed');
  await page.getByRole('heading', { name: 'Payment detected' }).waitFor();

  const file = '**/assets/after-*.js';
  await page.route(file, (route) => route.abort());
  await page.clock.install();
  await Promise.all([
    page.waitForEvent('requestfailed', (request) => request.url().includes('/after-')),
    page.reload(),
  ]);
  await page.unroute(file);
  await page.getByRole('heading', { name: 'Payment detected' }).waitFor();
  await act('paid');
  await page.clock.fastForward(10_000);
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
});

/** The page says that the wallet has sent, and shows nothing to pay once more. */
async function seeSent(page: Page): Promise<void> {
  await page.getByText('Your wallet sent the payment.').waitFor();
  expect(await page.locator('[data-address]').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Pay with Fern Wallet' }).count()).toBe(0);
}

async function choose(page: Page, coin: string, button: string): Promise<void> {
  await page.getByRole('link', { name: 'Pay with a different coin' }).click();
  const [asset, network] = coin.split(' ');
  await page.getByRole('radio', { name: new RegExp(`^${asset}`) }).check();
  await page.getByRole('radio', { name: new RegExp(`^${network}`) }).check();
  await page.getByRole('button', { name: button }).click();
}
