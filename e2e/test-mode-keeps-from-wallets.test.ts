import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PAY_ASSETS, RECEIVE_ASSETS } from '@quittance/contract';
import { qrPath } from '../web/ui/qr-path.ts';
import { openBrowser, visit } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const SOLANA = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const CUSTOMER_SOLANA = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const REFUNDS: Record<string, string> = {
  bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  solana: SOLANA,
  tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
};
/** The main networks, as wallets, links and codes name them. */
const MAIN_NETWORKS =
  /0x2105|@(1|137|8453|42161|56|43114)[/?]|eip155:(1|137|8453|42161|56|43114)\b|solana:mainnet|^(ethereum|solana|bitcoin|wc):|0x833589fcd6edb6e08f4c7c32d4f71b54bda02913|EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v/i;

let shop: Shop;
let browser: Browser;
beforeAll(async () => {
  shop = await openShop({
    mode: 'test',
    wallet: { asset: 'USDC', network: 'base', address: EVM },
    env: { WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16) },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

/** Wallets of both families that approve everything and record what they are asked. */
async function recordWallets(context: BrowserContext): Promise<string[]> {
  const asked: string[] = [];
  await context.exposeBinding('recordAsked', (_source, request: string) => void asked.push(request));
  await context.addInitScript(
    ({ solana }) => {
      const record = (request: unknown) =>
        (window as unknown as { recordAsked(text: string): void }).recordAsked(JSON.stringify(request));
      const provider = {
        async request(call: { method: string }) {
          record(call);
          if (call.method === 'eth_requestAccounts') return ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'];
          return '0x1';
        },
      };
      const info = {
        uuid: 'fe000000-0000-4000-8000-000000000077',
        name: 'Fern Wallet',
        icon: '',
        rdns: 'example.fern',
      };
      addEventListener('eip6963:requestProvider', () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } })),
      );
      const account = { address: solana, publicKey: new Uint8Array(32), chains: ['solana:mainnet'], features: [] };
      const feature = (name: string, answer: unknown) => async (input: object) => {
        record({ name, ...input });
        return answer;
      };
      const wallet = {
        version: '1.0.0',
        name: 'Moss Wallet',
        icon: 'data:image/svg+xml,',
        chains: ['solana:mainnet'],
        accounts: [account],
        features: {
          'standard:connect': { version: '1.0.0', connect: feature('connect', { accounts: [account] }) },
          'solana:signAndSendTransaction': { version: '1.0.0', signAndSendTransaction: feature('send', []) },
          'solana:signMessage': { version: '1.0.0', signMessage: feature('sign', []) },
        },
      };
      const register = ({ register: add }: { register(wallet: unknown): void }) => add(wallet);
      addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
    },
    { solana: SOLANA },
  );
  return asked;
}

/** Presses every button that could reach a wallet, whatever it is called. */
async function pressEverything(page: Page): Promise<void> {
  await page
    .locator('details:not([open]) > summary')
    .evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()));
  const wallets = page.locator('[data-do^=wallet], button[name=wallet]');
  for (let at = 0; at < (await wallets.count()); at++) await wallets.nth(at).click({ force: true });
}

/** No link and no code of the page leads anywhere but to this service. */
async function expectNoWayToMainNetworks(page: Page, url: string): Promise<void> {
  const hrefs = await page.locator('[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  const isHarmless = (href: string) => /^(\/|#|data:image\/|mailto:|https?:\/\/(127\.0\.0\.1|localhost))/.test(href);
  expect(hrefs.filter((href) => !isHarmless(href))).toEqual([]);
  expect(hrefs.filter((href) => MAIN_NETWORKS.test(href))).toEqual([]);
  const codes = await page.locator('.qr path').evaluateAll((all) => all.map((one) => one.getAttribute('d')));
  expect(codes.length).toBeGreaterThan(0);
  expect(new Set(codes)).toEqual(new Set([qrPath(url).path]));
}

// CI takes one coin of each network; `npm run e2e` elsewhere takes all.
const PAID = process.env.CI
  ? PAY_ASSETS.filter(({ network }, at) => PAY_ASSETS.findIndex((one) => one.network === network) === at)
  : PAY_ASSETS;

test.each(PAID.map(({ asset, network }) => [asset, network]))(
  'a test that is paid in %s on %s asks no wallet, and no code or link leads to one',
  async (asset, network) => {
    const { checkout_url: url, id } = await shop.session();
    await using window = await visit(browser, shop.url);
    const { page } = window;
    const asked = await recordWallets(window.context);
    await page.goto(url);
    await pressEverything(page);
    const isDirect = asset === 'USDC' && network === 'base';
    const body = {
      pay_asset: asset,
      pay_network: network,
      ...(!isDirect && { refund_address: REFUNDS[network] ?? EVM }),
    };
    await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, body);
    await page.locator('[data-address]').waitFor();
    await pressEverything(page);

    expect(asked).toEqual([]);
    await expectNoWayToMainNetworks(page, url);
    const { payment } = await shop.look(id);
    expect(payment.uri ?? '').not.toMatch(/@(1|137|8453|42161|56|43114)[/?]|:(bc)?1|833589fCD6|EPjFWdd5/);

    // The test wallet is where the real ones are, so no page waits for money that cannot come.
    await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
    await page.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(asked).toEqual([]);
    expect(window.incidents).toEqual([]);
  },
);

test.each(RECEIVE_ASSETS.map(({ asset, network }) => [asset, network]))(
  'a test in %s on %s that a wallet of the merchant receives asks no wallet, and neither does its refund',
  async (asset, network) => {
    const address = network === 'solana' ? SOLANA : EVM;
    const { id: walletId } = await shop.call('POST', '/v1/payout-wallets', { asset, network, address });
    const { checkout_url: url, id } = await shop.session({ payout_wallet_id: walletId });
    await using window = await visit(browser, shop.url);
    const { page } = window;
    const asked = await recordWallets(window.context);
    await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, {
      pay_asset: asset,
      pay_network: network,
    });
    await page.goto(url);
    await page.locator('[data-address]').waitFor();
    await pressEverything(page);
    await expectNoWayToMainNetworks(page, url);
    await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
    await page.getByRole('heading', { name: 'Paid' }).waitFor();

    const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
    await window.context.addCookies([{ name: 'session', value: shop.login, url: shop.url }]);
    await page.goto(`${shop.url}/dashboard/payments/${payment}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^To /).fill(network === 'solana' ? CUSTOMER_SOLANA : CUSTOMER);
    await dialog.getByText('there is nothing to send').waitFor();
    expect(await dialog.locator('[href], [role=img]').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Send with' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'I’ve sent it' }).click();
    await dialog.getByRole('button', { name: 'Record the refund' }).click();
    await page.getByText('A refund was recorded').waitFor();
    expect(asked).toEqual([]);
    expect(window.incidents).toEqual([]);
  },
);

test('without a script the test wallet pays too', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
});
