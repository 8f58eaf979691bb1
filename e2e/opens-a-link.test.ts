import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { openBrowser, visit } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';

let shop: Shop;
let browser: Browser;
beforeAll(async () => {
  shop = await openShop({ mode: 'test', wallet: TEST_WALLET });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

const TEST_WALLET = { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' };

test('a visit opens nothing; the button opens one session per visit, however often it is pressed', async () => {
  const link = await shop.link();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(link.url);
  await page.reload();
  expect(shop.webhooks.received.filter(({ event }) => event?.type === 'payment.created')).toHaveLength(0);

  const form = await page
    .locator('form')
    .evaluate((element) =>
      Object.fromEntries([...new FormData(element as HTMLFormElement)].map(([name, value]) => [name, String(value)])),
    );
  const open = () => fetch(`${link.url}/open`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) });
  const answers = await Promise.all([open(), open(), open()]);
  const sessions = new Set(answers.map((answer) => answer.headers.get('location')));
  expect(answers.map((answer) => answer.status)).toEqual([303, 303, 303]);
  expect(sessions.size).toBe(1);

  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  expect(new URL(page.url()).pathname).toBe([...sessions][0]);

  await using other = await visit(browser, shop.url);
  await other.page.goto(link.url);
  await other.page.getByRole('button', { name: 'Continue to payment' }).click();
  await other.page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  expect(other.page.url()).not.toBe(page.url());
  expect([...window.incidents, ...other.incidents]).toEqual([]);
});

test('a link that was switched off says so; what it opened before stays payable', async () => {
  const link = await shop.link();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(link.url);
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await shop.call('POST', `/v1/payment-links/${link.id}/disable`);

  await using other = await visit(browser, shop.url);
  const answer = await other.page.goto(link.url);
  expect(answer?.status()).toBe(409);
  await other.page.getByRole('heading', { name: 'This payment link is no longer active' }).waitFor();
  expect(await other.page.getByRole('link', { name: 'Contact Fern & Fog' }).getAttribute('href')).toContain(
    'mailto:help@fern-and-fog.example?subject=',
  );

  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect([...window.incidents, ...other.incidents]).toEqual([]);
});

test('a button that was pressed after its link was switched off says so too', async () => {
  const link = await shop.link();
  await using window = await visit(browser, shop.url);
  await window.page.goto(link.url);
  await shop.call('POST', `/v1/payment-links/${link.id}/disable`);
  await window.page.getByRole('button', { name: 'Continue to payment' }).click();
  await window.page.getByRole('heading', { name: 'This payment link is no longer active' }).waitFor();
  await shop.call('POST', `/v1/payment-links/${link.id}/enable`);
  await window.page.goto(link.url);
  await window.page.getByRole('button', { name: 'Continue to payment' }).click();
  await window.page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
});

test("a link or a checkout that does not exist has a page, in the visitor's language", async () => {
  await using window = await visit(browser, shop.url, { locale: 'de-DE' });
  for (const path of ['/pay/pl_000000000000000000000000', '/checkout/cs_nothing', '/receipt/cs_nothing', '/nowhere']) {
    const answer = await window.page.goto(shop.url + path);
    expect(answer?.status(), path).toBe(404);
    expect(await window.page.getByRole('heading', { level: 1 }).textContent()).toBe('Diese Seite gibt es nicht');
  }
});

test.each([true, false])(
  'a link asks who pays and how much, and keeps what was typed (script: %s)',
  async (javaScriptEnabled) => {
    const link = await shop.link({
      ask_for: ['name', 'email', 'note'],
      open_amount: { min: '5.00', max: '500.00' },
      amount: '20.00',
    });
    await using window = await visit(browser, shop.url, { phone: true, javaScriptEnabled });
    const { page } = window;
    await page.goto(`${link.url}?lang=de`);
    // As the limits beside it are written.
    expect(await page.getByLabel('Betrag in USD').inputValue()).toBe('20,00');
    await page.goto(`${link.url}?lang=en`);
    expect(await page.getByLabel('Amount in USD').inputValue()).toBe('20.00');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    // All that is wrong is said at once.
    await page.getByRole('alert').filter({ hasText: 'Please fill this in.' }).first().waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual(['Please fill this in.', 'Please fill this in.']);
    expect(await page.getByLabel('Your name').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Amount in USD').fill('4');
    await page.getByLabel('Your name').fill('Kim Reyes');
    await page.getByLabel('Your email address').fill('kim@example.com');
    await page.getByLabel('Note to Fern & Fog (optional)').fill('For the greenhouse');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('alert').filter({ hasText: '5.00 to 500.00' }).waitFor();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Kim Reyes');
    await page.getByLabel('Amount in USD').fill('7.50');
    // Browsers take an address without a dot.
    await page.getByLabel('Your email address').fill('kim@example');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('alert').filter({ hasText: 'Enter a complete email address, such as' }).waitFor();
    await page.getByLabel('Your email address').fill('kim@example.com');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
    if (javaScriptEnabled) {
      // Back leads to the link, and sends nothing again.
      await page.goBack();
      await page.getByRole('button', { name: 'Continue to payment' }).waitFor();
      expect(page.url()).toBe(link.url);
      expect(await page.getByLabel('Amount in USD').inputValue()).toBe('7.50');
      expect(await page.getByLabel('Note to Fern & Fog (optional)').inputValue()).toBe('For the greenhouse');
      await page.goForward();
    }
    expect(await page.locator('.total').textContent()).toBe('7.50 USD');
    expect(await shop.call('GET', `/v1/checkout/sessions/${page.url().split('/').at(-1)}`)).toMatchObject({
      amount: '7.50',
      customer: { name: 'Kim Reyes', email: 'kim@example.com' },
      metadata: { customer_note: 'For the greenhouse' },
    });
    expect(window.incidents).toEqual([]);
  },
);

test('a client that opens many links is asked to wait', async () => {
  const link = await shop.link();
  let last = 0;
  for (let opened = 0; opened < 40 && last !== 429; opened++) {
    const answer = await fetch(`${link.url}/open`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(),
      headers: { accept: 'text/html' },
    });
    last = answer.status;
    if (last === 429) expect(await answer.text()).toContain('One moment, please');
  }
  expect(last).toBe(429);
});
