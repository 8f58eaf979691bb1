import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';

let shop: Shop;
let browser: Browser;
let receipt: string;
let receiptPage: string;
beforeAll(async () => {
  shop = await openShop({
    mode: 'test',
    wallet: { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
  browser = await openBrowser();
  const { id } = await shop.session();
  await shop.call('POST', `/v1/test_helpers/checkout/sessions/${id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'base',
    outcome: 'paid',
  });
  receiptPage = `${shop.url}/receipt/${id}`;
  receipt = await fetch(`${shop.url}/checkout/${id}/receipt`).then((answer) => answer.text());
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

test('on a phone what can be done with a receipt is as wide as the page in every language', async () => {
  await using window = await visit(browser, shop.url, { phone: true, locale: 'de-DE' });
  const { page } = window;
  await page.goto(receiptPage);
  const print = await page.getByRole('button', { name: 'Drucken oder als PDF speichern' }).boundingBox();
  const back = await page.getByRole('link', { name: 'Zurück' }).boundingBox();
  expect([back?.x, back?.width]).toEqual([print?.x, print?.width]);
});

test('the page of the server loads its keys and verifies a receipt', async () => {
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(`${shop.url}/verify-receipt`);
  await page.getByLabel('Receipts, one a line').fill(receipt);
  await page.getByRole('button', { name: 'Load the keys of this server' }).click();
  await expect.poll(() => page.getByLabel('Keys (the content').inputValue()).not.toBe('');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('heading', { name: 'Valid, but from test mode' }).waitFor();
  await page.getByText('49.00 USD').waitFor();

  await page.getByLabel('Receipts, one a line').fill(receipt.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('heading', { name: 'Not valid' }).waitFor();
  expect(window.incidents).toEqual([]);
});

test('a saved copy of the page verifies a receipt with the network off', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quittance-receipt-'));
  const html = await fetch(`${shop.url}/verify-receipt`).then((answer) => answer.text());
  const jwks = await keysOf(receipt);
  await writeFile(join(folder, 'verify.html'), html);
  await writeFile(join(folder, 'jwks.json'), jwks);
  await writeFile(join(folder, 'receipt.jwt'), receipt);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, 'verify.html')).href);
    await context.setOffline(true);
    await page.getByLabel('Or files').setInputFiles(join(folder, 'receipt.jwt'));
    await page.getByLabel('Keys from a file').setInputFiles(join(folder, 'jwks.json'));
    await page.getByLabel('Address of the service').fill(shop.url);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Valid, but from test mode' }).waitFor();
    const payee = page.getByLabel('Address that should have been paid');
    await payee.fill('0x52908400098527886e0f7030069857d2e4169ee7');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Payee', { exact: true }).waitFor();
    await payee.fill(`0x${'1'.repeat(40)}`);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Not valid' }).waitFor();
  } finally {
    await context.close();
    await rm(folder, { recursive: true });
  }
});

/** The key set of the receipt's account and mode, as its holder saves it. */
function keysOf(jws: string): Promise<string> {
  const { jwks_url } = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
  return fetch(jwks_url).then((answer) => answer.text());
}
