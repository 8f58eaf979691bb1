import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@quittance/server/testing/database';
import type { Browser } from 'playwright-core';
import { openBrowser, visit } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';

let database: TestDatabase;
let shop: Shop;
let browser: Browser;
beforeAll(async () => {
  database = await createTestDatabase();
  shop = await openShop({
    mode: 'test',
    env: { DATABASE_URL: database.url },
    wallet: { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
  await database?.drop();
});

/** Stores texts from before the API refused them. */
const store = (name: string, sql: string, ...values: string[]) => database.db.query(name, sql, values);
const nameShop = (name: string) => store('test_name', 'update accounts set name = $1', name);

// Overrides, isolates, marks, zero-width spaces, soft hyphens: characters that make a text look like another one.
const TURNS = [
  '\u202e',
  '\u202d',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u200e',
  '\u200f',
  '\u061c',
  '\u200b',
  '\u00ad',
  '\ufeff',
  '\u2060',
];

test('characters that turn or hide text are left out of everything a merchant wrote, in both directions of the page', async () => {
  const trick = (text: string) => TURNS.map((turn) => `${turn}${text}`).join('');
  await nameShop(`Fern\u202e & Fog${TURNS.join('')}`);
  const items = (name: string) => [{ name, quantity: 1, amount: '49.00' }];
  const { checkout_url: url } = await shop.session({ description: '10.00 USD', line_items: items('Fern') });
  const link = await shop.link({ description: 'A fern a month' });
  await store(
    'test_session',
    'update checkout_sessions set description = $1, line_items = $2::jsonb',
    trick('10.00 USD'),
    JSON.stringify(items(trick('Fern'))),
  );
  await store('test_link', 'update payment_links set description = $1', trick('A fern a month'));
  for (const locale of ['en-US', 'ar-AE']) {
    await using window = await visit(browser, shop.url, { locale });
    const { page } = window;
    for (const address of [url, link.url]) {
      await page.goto(address);
      const texts = await page.locator('.merchant, .description, .items').allTextContents();
      expect(texts.join('')).toContain('Fern & Fog');
      for (const turn of TURNS) expect(texts.join(''), turn.codePointAt(0)?.toString(16)).not.toContain(turn);
      // A merchant's text cannot reverse the text around it: the amount is unchanged and in its place.
      expect(await page.locator('.total').textContent()).toBe('49.00 USD');
    }
    expect(window.incidents).toEqual([]);
  }
});

test('a name of nothing but invisible characters is not accepted as a name', async () => {
  await nameShop(TURNS.join(''));
  await using window = await visit(browser, shop.url);
  await window.page.goto((await shop.session()).checkout_url);
  expect(await window.page.locator('.merchant').textContent()).toContain('this store');
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  ' https://shop.example',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  '//shop.example',
  '/thanks',
  'https:shop.example',
  'https:\\\\shop.example',
  'https://shop.example\\@thief.example',
  'https://shop.example@thief.example',
  'https://user:secret@shop.example',
  'http://shop.example',
  'ftp://shop.example',
  'https://',
  'https://shop .example',
  'https://shop.example/\r\nSet-Cookie: a=b',
  'https://shop.example/\u0000',
  'blob:https://shop.example/x',
  'file:///etc/passwd',
  '',
])('%j is refused as an address to return to', async (address) => {
  for (const field of ['success_url', 'cancel_url'])
    await expect(shop.session({ [field]: address })).rejects.toThrow('invalid_checkout_session');
  await expect(shop.link({ success_url: address })).rejects.toThrow('invalid_payment_link');
  if (address !== '') await expect(shop.account({ support_url: address })).rejects.toThrow('invalid_request');
});

test("a customer is sent only to the merchant's stored URL, never to one in the address bar", async () => {
  const { checkout_url: url, id } = await shop.session({
    success_url: 'https://fern-and-fog.example/thanks?to={CHECKOUT_SESSION_ID}&again={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://fern-and-fog.example/basket',
  });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(
    `${url}?success_url=https://thief.example&cancel_url=javascript:alert(1)&next=//thief.example&return_to=https://thief.example#https://thief.example`,
  );
  expect(await page.content()).not.toContain('thief');
  // A customer who has not paid does not see the link to the merchant's thank-you page.
  expect(await page.content()).not.toContain('/thanks');
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'paid' });
  const back = page.getByRole('link', { name: /^Return to/ });
  await back.waitFor();
  expect(await back.getAttribute('href')).toBe(`https://fern-and-fog.example/thanks?to=${id}&again=${id}`);
  expect(await back.getAttribute('rel')).toBe('noopener noreferrer');
});
