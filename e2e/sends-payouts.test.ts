import type { Browser, Page } from 'playwright-core';
import { type Address, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import ar from '../web/dashboard/i18n/ar.ts';
import { objections } from './support/accessibility.ts';
import { openBrowser, overflow } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';

let shop: EthereumShop;
let browser: Browser;
let batcher: Address;
beforeAll(async () => {
  shop = await openEthereumShop();
  browser = await openBrowser();
  batcher = await shop.chain.deploy('Batcher');
  await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 100_000_000n, from: shop.customer });
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

const wallets = Array.from({ length: 12 }, (_, at) => getAddress(toHex(BigInt(at + 1) << 48n, { size: 20 })));

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

test('payouts are imported from a CSV once every line is right, and sent by as few signatures as the wallet can', async () => {
  await using window = await visitAsMerchant(browser, shop);
  const { page } = window;
  // The second part of what is sent waits until the page has counted the first.
  const { promise: counted, resolve: proceed } = Promise.withResolvers<void>();
  let parts = 0;
  const batch: typeof shop.chain.batch = async (...part) => {
    if (++parts > 1) await counted;
    return shop.chain.batch(...part);
  };
  const wallet = await addEthereumWallet(window.context, {
    chain: { ...shop.chain, batch },
    account: shop.wallet,
    batches: true,
    batcher,
    takes: 5,
  });
  await page.goto(`${shop.url}/dashboard/refunds`);
  await page.getByRole('link', { name: 'Payouts' }).click();
  await page.getByText('No payout to send').waitFor();
  await page.getByRole('button', { name: 'Import payouts' }).click();
  const dialog = page.getByRole('dialog');
  const lines = wallets.map((to, at) => `${to},USDC,ethereum,1.5,Row ${at}`);
  await dialog
    .getByLabel('CSV')
    .fill(['address,asset,network,amount,note', ...lines, `${wallets[0]},USDC,ethereum,0`].join('\n'));
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText('14: The amount must be more than zero.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Import' }).count()).toBe(0);
  await shoot(page, 'payouts-problem');
  // What is chosen while another text is looked at is looked at itself.
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const checks = '**/dashboard/api/payouts/check';
  await page.route(checks, async (route) => {
    await held;
    await route.continue();
  });
  await dialog.getByLabel('CSV').fill(lines[0] ?? '');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByLabel('Choose a file').setInputFiles({
    name: 'payouts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`\uFEFF${[...lines, lines[0]].join('\r\n')}`),
  });
  const answer = page.waitForResponse(checks);
  release();
  await answer;
  await page.unroute(checks);
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText(/Ethereum: .?19.5 USDC/).waitFor();
  expect(await dialog.getByText('Repeated line').count()).toBe(2);
  expect(await objections(page)).toEqual([]);
  await shoot(page, 'payouts-preview');
  await dialog.getByRole('button', { name: 'Import 13 payouts' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByText(/13 chosen: .?19.5 USDC/).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await objections(page)).toEqual([]);
  await shoot(page, 'payouts');
  await page.getByLabel(`Send to ${wallets[11]}`).uncheck();
  wallet.answerTo('wallet_sendCalls', 'decline');
  await page.getByRole('button', { name: 'Send 12 with Fern Wallet' }).click();
  await page.getByText('You rejected the request in your wallet.').waitFor();
  await page.getByRole('button', { name: 'Send 12 with Fern Wallet' }).click();
  await page.getByText('3 of 12 sent', { exact: true }).waitFor();
  proceed();
  // Only what was left out is still to be sent.
  await expect.poll(() => page.getByLabel(/^Send to /).count(), { timeout: 60_000 }).toBe(1);
  const calls = wallet.asked.filter(({ method }) => method === 'wallet_sendCalls');
  expect(calls.map(({ params }) => (params[0] as { calls: unknown[] }).calls.length)).toEqual([12, 12, 6, 3, 4, 5]);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.reload();
  await expect
    .poll(
      async () => {
        const arrived = await page.getByText('Arrived').count();
        if (arrived < 12) await page.reload();
        return arrived;
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toBe(12);
  await shoot(page, 'payouts-all');
  expect(window.incidents).toEqual([]);
});

/** Leaves this payout as the only open one, whatever the stories before, or another try of this one, have left. */
async function planOnly(page: Page, line: string): Promise<void> {
  await page.goto(`${shop.url}/dashboard`);
  await page.evaluate(async (csv) => {
    const ask = async (path: string, body?: object) => {
      const headers = { 'service-mode': 'live', 'content-type': 'application/json' };
      const sent = body && { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`/dashboard/api/payouts${path}`, { headers, ...sent });
      return (await answer.json()) as { data: { id: string }[] };
    };
    const open = [...(await ask('?status=planned')).data, ...(await ask('?status=sent')).data];
    if (open.length > 0) await ask('/cancel', { payouts: open.map(({ id }) => id), take_over: true });
    await ask('', { csv, import: crypto.randomUUID() });
  }, line);
}

test('on a phone, a payout that another wallet sent is named by its transaction', async () => {
  await using window = await visitAsMerchant(browser, shop, { phone: true, colorScheme: 'dark' });
  const { page } = window;
  await planOnly(page, `${wallets[11]},USDC,ethereum,1.5,Row 11`);
  await page.goto(`${shop.url}/dashboard`);
  await page.getByRole('link', { name: 'Payouts to send' }).click();
  await page.getByText('No wallet for this network was found in this browser.').waitFor();
  const hash = await shop.chain.transferErc20({
    token: shop.usdc,
    to: wallets[11] as Address,
    amount: 1_600_000n,
    from: shop.customer,
  });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByLabel('Transaction').fill(hash);
  expect(await objections(page)).toEqual([]);
  await shoot(page, 'payouts-phone-dialog');
  await page.getByRole('button', { name: 'I’ve sent it' }).click();
  await page.getByText('Differs').waitFor({ timeout: 60_000 });
  expect(await overflow(page)).toBe(0);
  await shoot(page, 'payouts-phone');
  await page.goto(`${shop.url}/dashboard`);
  const differing = page.getByRole('link', { name: /^Payout .?1.5 USDC.? Row 11$/ });
  await differing.waitFor();
  expect(await page.getByText('Payouts to send').count()).toBe(0);
  expect(await overflow(page)).toBe(0);
  expect(await objections(page)).toEqual([]);
  await shoot(page, 'payouts-home');
  await differing.click();
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByText(/The transaction sent .?1.6 USDC.? to this address/).waitFor();
  await page.getByRole('button', { name: 'Cancel this payout' }).click();
  await page.getByText('Differs').first().waitFor({ state: 'detached' });

  // What a wallet of this browser sent meanwhile is named, though its payout is in no list any more.
  await page.evaluate(async (sent) => {
    const headers = { 'service-mode': 'live' };
    const cancelled = await fetch('/dashboard/api/payouts?status=cancelled', { headers });
    const { data } = (await cancelled.json()) as { data: { id: string }[] };
    localStorage.setItem(`sent-refund ${data[0]?.id}`, JSON.stringify({ hash: sent, to: '', amount: '' }));
  }, hash);
  await page.reload();
  // On its way only until the chain was asked.
  await page.getByText('Differs').waitFor({ timeout: 60_000 });
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('sent-')))).toEqual([]);
  expect(window.incidents).toEqual([]);
});

test('in test mode and in Arabic, there is nothing to sign', async () => {
  await using window = await visitAsMerchant(browser, shop, { mode: 'test', phone: true, locale: 'ar' });
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/payouts`);
  await page.getByRole('button', { name: ar['Import payouts'] }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CSV').fill(`${wallets[0]}\tUSDC\tbase\t2\tفاتورة 7`);
  await dialog.getByRole('button', { name: ar.Check, exact: true }).click();
  await dialog.getByText('فاتورة 7').last().waitFor();
  await dialog.getByRole('button', { name: ar['Import {count} payouts'].one }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('فاتورة 7').waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await objections(page)).toEqual([]);
  await shoot(page, 'payouts-arabic');
  await page.locator('main button').last().click();
  await page.getByText(ar['No payout to send']).waitFor();
  expect(window.incidents).toEqual([]);
});
