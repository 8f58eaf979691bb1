import type { Browser, WebSocket } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Visit, openBrowser, pressAndSee, visit } from './support/browser.ts';
import { type EthereumShop, openEthereumShop, openShop } from './support/shop.ts';
import { startRelay, type TestRelay } from './support/wallet-connect-relay.ts';
import { scanCode } from './support/wallet-connect-wallet.ts';

const PROJECT_ID = '0123456789abcdef0123456789abcdef';
/** The tag of the message that ends a session. */
const SESSION_DELETE = 1112;
let relay: TestRelay;
let shop: EthereumShop;
let browser: Browser;
beforeAll(async () => {
  relay = await startRelay();
  shop = await openEthereumShop({ WALLETCONNECT_PROJECT_ID: PROJECT_ID, WALLETCONNECT_RELAY_URL: relay.url });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await relay?.[Symbol.asyncDispose]();
});

/** Opens a checkout, asks for the code, and copies it, as for a wallet on the same computer. */
async function showCode({ page }: Visit): Promise<{ id: string; uri: string }> {
  const { checkout_url: url, id } = await shop.session();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await page.getByRole('button', { name: 'Pay with WalletConnect' }).click();
  await page.getByRole('img', { name: /^Scan this code with a wallet app/ }).waitFor();
  await pressAndSee(
    () => page.locator('.scan').getByRole('button', { name: 'Copy' }).click(),
    page.locator('.scan').getByText('Copied').first(),
  );
  return { id, uri: await page.evaluate(() => navigator.clipboard.readText()) };
}

const scan = (uri: string, reaction?: 'approve' | 'reject' | 'decline') =>
  scanCode(uri, { relayUrl: relay.url, chain: shop.chain, account: shop.customer, ...(reaction && { reaction }) });

/** Requests to the relay are no incidents here, because the operator has set it. */
const incidentsOf = ({ incidents }: Visit) => incidents.filter((one) => !one.startsWith(`request: ${relay.url}`));

test('a wallet on another device scans the code and pays, and the transfer carries our tag', async () => {
  await using window = await visit(browser, shop.url);
  const { id, uri } = await showCode(window);
  using wallet = scan(uri);
  await window.page.getByRole('heading', { name: 'Paid' }).waitFor();

  expect(wallet.asked.map(({ method }) => method)).toEqual(['eth_sendTransaction']);
  expect(wallet.peer()).toMatchObject({ name: 'Fern & Fog', url: shop.url });
  await expect.poll(() => wallet.isEnded(), { timeout: 15_000 }).toBe(true);
  expect(relay.projects).toContain(PROJECT_ID);
  const { payment } = await shop.look(id);
  const [call] = wallet.asked.flatMap(({ params }) => params) as { data: string }[];
  expect(call?.data.endsWith(payment.tag.slice(2))).toBe(true);
  expect(incidentsOf(window)).toEqual([]);
});

test('a relay that is restarted meanwhile loses nothing', async () => {
  await using window = await visit(browser, shop.url);
  const { uri } = await showCode(window);
  relay.drop();
  using wallet = scan(uri);
  await window.page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).toEqual(['eth_sendTransaction']);
});

test('what the wallet has sent is said although the relay does not hear any more that the session is over', async () => {
  await using window = await visit(browser, shop.url);
  await window.page.routeWebSocket(
    ({ href }) => href.startsWith(relay.url),
    (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        if (JSON.parse(String(text)).params?.tag !== SESSION_DELETE) server.send(text);
      });
    },
  );
  const { uri } = await showCode(window);
  await using held = await shop.holdBlocks();
  using _wallet = scan(uri);
  await window.page.getByText('Your wallet sent the payment.').waitFor();
  await held[Symbol.asyncDispose]();
  await window.page.getByRole('heading', { name: 'Paid' }).waitFor();
});

test.each(['reject', 'decline'] as const)(
  'a refusal is shown in words, and another try works (%s)',
  async (reaction) => {
    await using window = await visit(browser, shop.url);
    const { uri } = await showCode(window);
    using _refusing = scan(uri, reaction);
    await window.page.getByRole('alert').filter({ hasText: 'You rejected the request in your wallet.' }).waitFor();
    await window.page.getByRole('button', { name: 'Pay with WalletConnect' }).click();
    await window.page.locator('.scan').getByRole('button', { name: 'Cancel' }).click();
    await window.page.locator('.scan').waitFor({ state: 'detached' });
    await expect
      .poll(() => window.page.getByRole('button', { name: 'Pay with WalletConnect' }).isEnabled(), { timeout: 15_000 })
      .toBe(true);
  },
);

test('a wallet that scans late is asked for nothing if the money has come meanwhile', async () => {
  await using window = await visit(browser, shop.url);
  const { uri } = await showCode(window);
  await window.page.route('**/v1/public/checkout/sessions/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    Object.assign(body.data.payment, { amount_seen: body.data.payment.amount, amount_due: '0' });
    await route.fulfill({ response: answer, json: body });
  });
  using wallet = scan(uri);
  await expect.poll(() => wallet.isEnded(), { timeout: 30_000 }).toBe(true);
  expect(wallet.asked).toEqual([]);
  await window.page.getByRole('heading', { name: 'Payment detected' }).waitFor();
});

test('a customer who looks for another coin ends the wait for a scan', async () => {
  await using window = await visit(browser, shop.url);
  const sockets: WebSocket[] = [];
  window.page.on('websocket', (socket) => sockets.push(socket));
  await showCode(window);
  expect(sockets.map((socket) => socket.isClosed())).toEqual([false]);
  await window.page.getByRole('link', { name: 'Pay with a different coin' }).click();
  await expect.poll(() => sockets.map((socket) => socket.isClosed()), { timeout: 15_000 }).toEqual([true]);
  await window.page.getByRole('button', { name: 'Continue with' }).click();
  await window.page.getByRole('button', { name: 'Pay with WalletConnect' }).waitFor();
  expect(await window.page.locator('.scan').count()).toBe(0);
});

test('a customer who looks for another coin ends the wait for a relay that does not answer', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const states: string[] = [];
  await page.routeWebSocket(
    ({ href }) => href.startsWith(relay.url),
    (socket) => {
      states.push('opened');
      socket.onClose(() => states.push('closed'));
    },
  );
  const { checkout_url: url } = await shop.session();
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByRole('button', { name: 'Pay with WalletConnect' }).click();
  await page.getByText('Approve the connection in WalletConnect.').waitFor();
  await expect.poll(() => states).toEqual(['opened']);
  await page.getByRole('link', { name: 'Pay with a different coin' }).click();
  await expect.poll(() => states, { timeout: 15_000 }).toContain('closed');
  await page.getByRole('button', { name: 'Continue with' }).click();
  expect(await page.getByRole('button', { name: 'Pay with WalletConnect' }).isEnabled()).toBe(true);
});

test('a code is useless without its key, even if the relay topic is known', async () => {
  await using window = await visit(browser, shop.url);
  const { uri } = await showCode(window);
  const stranger = uri.replace(/symKey=[0-9a-f]{64}/, `symKey=${'ab'.repeat(32)}`);
  using _stranger = scan(stranger);
  using wallet = scan(uri);
  await window.page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).toEqual(['eth_sendTransaction']);
});

test('the page may talk to the relay only where one is set, and in live mode', async () => {
  const policyOf = async (url: string) => (await fetch(url)).headers.get('content-security-policy');
  const { checkout_url: live } = await shop.session();
  expect(await policyOf(live)).toContain(`connect-src 'self' ${relay.url};`);
  expect(await policyOf(`${shop.url}/dashboard/sign-in`)).toContain("connect-src 'self';");
  await using without = await openShop({
    wallet: { asset: 'USDC', network: 'ethereum', address: shop.wallet },
  });
  const { checkout_url: plain } = await without.session();
  expect(await policyOf(plain)).toContain("connect-src 'self';");
});

test('its script is loaded with the first press, and on a phone the wallet is opened instead', async () => {
  await using window = await visit(browser, shop.url);
  const loaded: string[] = [];
  window.page.on('request', (request) => loaded.push(request.url()));
  const { checkout_url: url } = await shop.session();
  await window.page.goto(url);
  await window.page.getByRole('button', { name: 'Continue with' }).click();
  await window.page.getByRole('button', { name: 'Pay with WalletConnect' }).waitFor();
  expect(loaded.filter((one) => one.includes('wallet-connect') || one.startsWith('ws'))).toEqual([]);

  await using phone = await visit(browser, shop.url, { phone: true });
  await phone.page.goto(url);
  await phone.page.locator('[data-address]').waitFor();
  expect(await phone.page.getByRole('button', { name: 'Pay with WalletConnect' }).isVisible()).toBe(false);
});
