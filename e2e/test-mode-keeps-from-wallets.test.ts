import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import {
  type Asset,
  type ChainFamily,
  EXTRA_ASSET_KEYS,
  KNOWN_ASSETS,
  type Network,
  NETWORKS,
  PAY_ASSETS,
  READABLE_NETWORKS,
  RECEIVE_ASSETS,
} from '@quittance/contract';
import { qrPath } from '../web/ui/qr-path.ts';
import { openBrowser, visit } from './support/browser.ts';
import { pressEverything, recordWallets } from './support/recording-wallets.ts';
import { openShop, type Shop } from './support/shop.ts';

/** Of the merchant and of the customer. */
const ADDRESSES: Partial<Record<ChainFamily, readonly [string, string]>> = {
  evm: ['0x52908400098527886E0F7030069857D2E4169EE7', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
  solana: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  tron: ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'],
  bitcoin: ['', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
};
const addressesOn = (network: Network) => ADDRESSES[NETWORKS[network].family] ?? ['', ''];
const CHAIN_IDS = Object.values(NETWORKS).flatMap((row) => ('chainId' in row ? [row.chainId] : []));
const TOKENS = KNOWN_ASSETS.flatMap(({ address }) => address ?? []);
/** The main networks, as wallets, links and codes name them. */
const MAIN_NETWORKS = new RegExp(
  `@(${CHAIN_IDS.join('|')})([/?]|$)|eip155:(${CHAIN_IDS.join('|')})\\b|solana:mainnet|^wc:|bitcoin:(bc)?1|${TOKENS.join('|')}`,
  'i',
);

let shop: Shop;
let browser: Browser;
beforeAll(async () => {
  shop = await openShop({
    mode: 'test',
    wallet: { asset: 'USDC', network: 'base', address: addressesOn('base')[0] },
    env: {
      WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16),
      EXTRA_ASSETS: EXTRA_ASSET_KEYS.join(),
      ...Object.fromEntries(READABLE_NETWORKS.map((one) => [`RPC_${one.toUpperCase()}_URLS`, 'http://127.0.0.1:9'])),
    },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

/** No link and no code of the page leads anywhere but to this service. Answers with how many codes there are. */
async function expectNoWayToMainNetworks(page: Page, url: string): Promise<number> {
  const hrefs = await page.locator('[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  const isHarmless = (href: string) => /^(\/|#|data:image\/|mailto:|https?:\/\/(127\.0\.0\.1|localhost))/.test(href);
  expect(hrefs.filter((href) => !isHarmless(href) || MAIN_NETWORKS.test(href))).toEqual([]);
  const codes = await page.locator('.qr path').evaluateAll((all) => all.map((one) => one.getAttribute('d')));
  expect(codes.filter((code) => code !== qrPath(url).path)).toEqual([]);
  return codes.length;
}

const EXTRA = KNOWN_ASSETS.filter(({ key }) => EXTRA_ASSET_KEYS.includes(key));
const PAID = ofThisRun([...PAY_ASSETS, ...EXTRA.filter(({ key }) => !PAY_ASSETS.some((one) => one.key === key))]);
const RECEIVED = ofThisRun([...RECEIVE_ASSETS, ...EXTRA]);

/**
 * CI takes one coin of each network, because `server/test/networks/test-mode-and-main-networks.test.ts` has all. `npm run
 * e2e` elsewhere takes all too.
 */
function ofThisRun(all: readonly Asset[]): readonly Asset[] {
  if (!process.env.CI) return all;
  return all.filter(({ network }, at) => all.findIndex((one) => one.network === network) === at);
}

test.each(PAID.map(({ asset, network }) => [asset, network] as const))(
  'a test that is paid in %s on %s asks no wallet, and no code or link leads to one',
  async (asset, network) => {
    const { checkout_url: url, id } = await shop.session();
    await using window = await visit(browser, shop.url);
    const { page } = window;
    const asked = await recordWallets(window.context);
    await page.goto(url);
    expect(await pressEverything(page)).toBe(0);
    const isDirect = asset === 'USDC' && network === 'base';
    const body = {
      pay_asset: asset,
      pay_network: network,
      ...(!isDirect && { refund_address: addressesOn(network)[1] }),
    };
    await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, body);
    await page.locator('[data-address]').waitFor();
    expect(await pressEverything(page)).toBe(0);

    expect(asked).toEqual([]);
    expect(await expectNoWayToMainNetworks(page, url)).toBeGreaterThan(0);
    const { payment } = await shop.look(id);
    expect(payment.uri ?? '').not.toMatch(MAIN_NETWORKS);

    // The test wallet is where the real ones are, so no page waits for money that cannot come.
    await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
    await page.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(asked).toEqual([]);
    expect(window.incidents).toEqual([]);
  },
);

test.each(RECEIVED.map(({ asset, network }) => [asset, network] as const))(
  'a test in %s on %s that a wallet of the merchant receives asks no wallet, and neither does its refund',
  async (asset, network) => {
    const [address, customer] = addressesOn(network);
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
    expect(await pressEverything(page)).toBe(0);
    expect(await expectNoWayToMainNetworks(page, url)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
    await page.getByRole('heading', { name: 'Paid' }).waitFor();

    const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
    await window.context.addCookies([{ name: 'session', value: shop.login, url: shop.url }]);
    await page.goto(`${shop.url}/dashboard/payments/${payment}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^To /).fill(customer);
    await dialog.getByText('there is nothing to send').waitFor();
    expect(await dialog.locator('[href], [role=img]').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Send with' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'I’ve sent it' }).click();
    await dialog.getByRole('button', { name: 'Record the refund' }).click();
    await page.getByText('A refund arrived').waitFor();
    expect(asked).toEqual([]);
    expect(window.incidents).toEqual([]);
  },
);

test('no page on the way from a link to a refund asks a wallet, and no code or link of them leads to one', async () => {
  const { url: link } = await shop.link();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  const asked = await recordWallets(window.context);
  const look = async (url: string) => {
    expect(await pressEverything(page)).toBe(0);
    return expectNoWayToMainNetworks(page, url);
  };
  await page.goto(link);
  await look(link);
  await page.locator('form[action$="/open"] button.primary').click();
  await page.getByRole('button', { name: 'Continue with' }).waitFor();
  const url = page.url();
  const id = new URL(url).pathname.split('/').at(-1);
  await look(url);
  await page.getByLabel('I’m paying from an exchange').check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('region', { name: 'I’m paying from an exchange' }).waitFor();
  expect(await look(url)).toBeGreaterThan(0);
  await page.locator('button[value=underpaid]').click();
  await page.getByRole('heading', { name: 'Partial payment received' }).waitFor();
  expect(await look(url)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  await look(url);
  await page.goto(`${shop.url}/receipt/${id}`);
  await look(page.url());
  const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
  const refund = await shop.call('POST', `/v1/payments/${payment}/refunds`, { amount: '1.00', link: {} });
  await page.goto(refund.link.url);
  await page.getByLabel('USDC address').waitFor();
  await look(page.url());
  expect(asked).toEqual([]);
  expect(window.incidents).toEqual([]);
});

test('without a script the test wallet pays too', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Pay with Test wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
});
