import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

const REFUND = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

test('a coin that is converted asks for a refund address first, says why, and refuses one of another network', async () => {
  const { checkout_url: url, id } = await shop.session({ success_url: 'https://fern-and-fog.example/thanks' });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('searchbox').fill('btc');
  // The only coin that is found is chosen.
  const radios = page.getByRole('radio').filter({ visible: true });
  await expect.poll(() => radios.count()).toBe(2);
  expect(await page.getByRole('radio', { checked: true }).filter({ visible: true }).count()).toBe(2);
  await page
    .getByText('Conversion costs, usually 1–4%, are in the exact amount that you see before you pay.')
    .filter({ visible: true })
    .waitFor();
  await page.getByRole('button', { name: 'Continue with BTC on Bitcoin' }).click();

  await page.getByText('If the conversion fails, your BTC is returned to this address.').waitFor();
  // What it costs is said before the address: 1/200 above the price.
  await page.getByText(/^≈ 0\.00082\d+ BTC$/).waitFor();
  await page.getByText(/^about 0\.00000\d+ BTC, included$/).waitFor();
  expect(await page.getByText('usually 1–4%').count()).toBe(0);
  const address = page.getByLabel('Your BTC address on Bitcoin');
  await address.fill('0x52908400098527886E0F7030069857D2E4169EE7');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').filter({ hasText: 'This is an address on Ethereum, not on Bitcoin.' }).waitFor();
  expect(await address.inputValue()).toBe('0x52908400098527886E0F7030069857D2E4169EE7');
  await page.waitForFunction(() => document.activeElement?.id === 'refund-address');

  await address.fill(REFUND);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('1.5%, paid by the merchant').waitFor();
  await page.getByText(/^Sandbox · about \d+ minutes$/).waitFor();
  await page.getByText(REFUND).waitFor();
  const { payment } = await shop.look(id);
  expect(await page.locator('[data-address]').textContent()).toBe(payment.address);
  expect(payment.refund_address).toBe(REFUND);
  expect(payment.uri).toContain(`bitcoin:${payment.address}?amount=`);

  await page.getByRole('button', { name: 'Send, unconfirmed' }).click();
  await page.getByRole('heading', { name: 'Payment detected' }).waitFor();
  expect(await page.getByText(/^0\.00082\d+ BTC on Bitcoin · about \d+ minutes$/).count()).toBe(1);
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  // It is not the transaction that the customer sent.
  await page.getByRole('heading', { name: 'Delivered to the merchant on Base' }).waitFor();
  expect((await shop.waitForEvent('payment.paid')).data).toMatchObject({
    session: id,
    route: 'routed',
    pay_asset: 'BTC',
  });
  expect(window.incidents).toEqual([]);
});

test('the address can be pasted, and what is wrong with one is said until it is right', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { phone: true });
  const { page } = window;
  await page.goto(`${url}?asset=USDT&network=tron`);
  await page.getByText('≈ 49.24 USDT').waitFor();
  const paste = async (text: string) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await page.getByRole('button', { name: 'Paste' }).click();
  };
  await paste(REFUND);
  const wrong = page.getByText('This is an address on Bitcoin, not on Tron.');
  await wrong.waitFor();
  await paste(' TJRabPrwbZy45sbavfcjinPJC18kjpRTv8\n');
  await wrong.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(/^about 0\.\d+ USDT, included$/).waitFor();
  expect(window.incidents).toEqual([]);
});

test.each([true, false])(
  'who has an exchange only is led to the coin that needs no address (script: %s)',
  async (javaScriptEnabled) => {
    const { checkout_url: url } = await shop.session();
    await using window = await visit(browser, shop.url, { phone: true, javaScriptEnabled });
    const { page } = window;
    await page.goto(url);
    await page.getByLabel('I’m paying from an exchange').check();
    // Directly below, where a finger has just pressed.
    if (javaScriptEnabled) await page.locator('.check + p', { hasText: 'what to enter at your exchange' }).waitFor();
    await page.getByRole('radio', { name: 'USDT' }).check();
    if (javaScriptEnabled) await page.getByText('USDT is converted. If that fails').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByRole('button', { name: 'No wallet of your own? Pay with USDC on Base, which needs no refund address.' })
      .click();
    await page.getByRole('region', { name: 'I’m paying from an exchange' }).waitFor();
    expect(await page.locator('[data-amount]').textContent()).toMatch(/^49\.0/);
    expect(await page.getByText('Your wallet adds the network fee').count()).toBe(0);
  },
);

test('who pays a conversion from an exchange is asked for no more decimals than an exchange takes', async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url, { phone: true });
  const { page } = window;
  await page.goto(`${url}?asset=BNB&network=bnb&view=exchange`);
  await page.getByLabel('Your BNB address on BNB Chain').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('If your exchange takes fewer digits, round up.').waitFor();
  // The page compares what it shows with the service's data after each change.
  await page.getByLabel('Your exchange’s withdrawal fee').fill('1');
  await page.getByRole('button', { name: 'Copy amount' }).first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(await page.locator('[data-amount]').textContent()).toBe(copied);
  expect(copied).toMatch(/^0\.\d{1,8}$/);
  const { amount } = (await shop.look(id)).payment;
  expect(Number(copied)).toBeGreaterThan(Number(amount));
  expect(Number(copied) - Number(amount)).toBeLessThan(1e-8);
  expect(window.incidents).toEqual([]);
});

test.each([
  { how: 'fails', steps: [['Fail payment', 'your SOL was returned to your refund address']] },
  {
    how: 'is paid in part',
    steps: [
      ['Pay too little', 'If the rest doesn’t arrive in time, the conversion provider returns what you sent'],
      ['Expire now', 'The conversion provider returns your SOL to your refund address.'],
    ],
  },
] as const)('a conversion that $how says where the money goes', async ({ steps }) => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByText('All coins').click();
  await page.getByRole('radio', { name: /^SOL/ }).check();
  await page.getByRole('button', { name: 'Continue with SOL on Solana' }).click();
  await page.getByLabel('Your SOL address on Solana').fill('7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('1 SOL =').waitFor();
  for (const [name, text] of steps) {
    await page.getByRole('button', { name }).click();
    await page.getByText(text).waitFor();
  }
});

test('without a script the refund address is asked for on a page of its own', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  await page.getByRole('radio', { name: 'BTC' }).check();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Your BTC address on Bitcoin').fill('nonsense');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'That isn’t a Bitcoin address that a refund can go to' }).waitFor();
  await page.getByText(/^about 0\.00000\d+ BTC, included$/).waitFor();
  await page.getByLabel('Your BTC address on Bitcoin').fill(REFUND);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.locator('[data-address]').waitFor();
  expect(await page.getByText(REFUND).count()).toBe(1);
});

test("coins of this browser's wallet come first among the other coins", async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.addInitScript(() =>
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(
        new CustomEvent('eip6963:announceProvider', {
          detail: {
            info: { uuid: 'fe000000-0000-4000-8000-000000000009', name: 'Fern Wallet', icon: '', rdns: 'example.fern' },
            provider: { request: () => new Promise(() => undefined) },
          },
        }),
      ),
    ),
  );
  await page.goto(url);
  const coins = page.locator('.tile b');
  // The usual coins stay where they are.
  expect(await coins.allTextContents()).toEqual(['USDC', 'USDT', 'BTC', 'ETH', 'BNB', 'POL', 'AVAX', 'SOL', 'TRX']);
  // Solana wallets come last, although they come first elsewhere.
  expect(
    await page
      .locator('input[name=network_USDC]')
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value).at(-1)),
  ).toBe('solana');
});
