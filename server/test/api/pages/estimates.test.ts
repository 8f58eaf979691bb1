import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFixedPrices } from '../../../src/outside/prices/fixed.ts';
import type { DisplayCurrency } from '../../../src/outside/prices/prices.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const FIXED = 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30,TRX=0.15,EUR=1.08,GBP=1.25,CHF=1.1,JPY=0.0064';
const table = Object.fromEntries(FIXED.split(',').map((pair) => pair.split('=')));
const fixed = createFixedPrices({ fixed: table, sources: 'fixed' });
/** What live pages ask for, and what they are answered. */
const asked: string[] = [];
let perDollar = fixed.perDollar;
let app: TestApp;
beforeAll(async () => {
  const prices = {
    ...fixed,
    perDollar(currency: DisplayCurrency) {
      asked.push(currency);
      return perDollar(currency);
    },
  };
  app = await startApp({ env: { PRICES_FIXED: FIXED }, overrides: { prices } });
});
afterAll(() => app.stop());

/** The estimate on a page, without signs of direction; null on a page without one. */
async function estimateAt(path: string, language?: string): Promise<string | null> {
  const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language };
  const { status, raw } = await app.inject('GET', path, { headers });
  expect(status).toBe(200);
  const [, text] = /≈\u00a0<bdi>([^<]*)<\/bdi>/.exec(raw) ?? [];
  return text?.replace(/[\u200e\u200f]/g, '').replaceAll('\u00a0', ' ') ?? null;
}

test.each([
  ['en-GB,en;q=0.9', '£39.20'],
  ['fr-FR', '45,37 €'],
  ['de-CH', '44,55 CHF'],
  ['ja,en-US;q=0.9', '￥7,656'],
  ['ar-AE', '179.95 د.إ.'],
  ['sv-SE', null],
  ['hi-IN', null],
  ['en-US', null],
  ['en', null],
  [undefined, null],
])('a price of 49 USD is about so much for a browser of %s: %s', async (language, text) => {
  const [session, link] = [
    await app.merchant.createSession({ amount: '49.00' }),
    await app.merchant.createLink({ amount: '49.00' }),
  ];
  expect(await estimateAt(`/checkout/${session.id}`, language)).toBe(text);
  expect(await estimateAt(`/pay/${link.id}`, language)).toBe(text);
});

test('the language that a visitor chooses writes the estimate, in the currency of their browser', async () => {
  const { id } = await app.merchant.createSession({ amount: '49.00', currency: 'EUR' });
  expect(await estimateAt(`/checkout/${id}?lang=de`, 'en-GB')).toBe('42,34 £');
  expect(await estimateAt(`/checkout/${id}`, 'en-US')).toBe('$52.92');
  expect(await estimateAt(`/checkout/${id}`, 'de-DE')).toBeNull();
});

test('visitors at the same moment each see their own currency', async () => {
  const { id } = await app.merchant.createSession({ amount: '49.00' });
  const link = await app.merchant.createLink({ amount: '49.00' });
  const languages = ['en-GB', 'en', 'en-IE', 'en-GB', 'en-US', 'en-CH', 'en'];
  for (const path of [`/checkout/${id}`, `/pay/${link.id}`]) {
    const texts = await Promise.all(languages.map((language) => estimateAt(path, language)));
    expect(texts).toEqual(['£39.20', null, '€45.37', '£39.20', null, 'CHF 44.55', null]);
  }
});

test('a page for a strange language has no estimate, and asks for no rate', async () => {
  const { id } = await app.merchant.live.createSession({ amount: '49.00' });
  asked.length = 0;
  const strange = [
    '*',
    'en-XX',
    '-',
    ',,,;q=',
    '__proto__',
    'constructor',
    `${'en-'.repeat(2_000)}GB`,
    `${'a,'.repeat(3_000)}en-GB`,
  ];
  for (const language of strange) expect(await estimateAt(`/checkout/${id}`, language)).toBeNull();
  expect(asked).toEqual([]);
});

test('an estimate is shown and nothing else: a wrong one changes no amount, and a missing one no page', async () => {
  const session = await app.merchant.live.createSession({ amount: '49.00', currency: 'EUR' });
  perDollar = async (currency) => (currency === 'EUR' ? 1n : 10n ** 24n);
  expect(await estimateAt(`/checkout/${session.id}`, 'en-GB')).toMatch(/^£[0-9,]{30,}$/);
  const chosen = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
    headers: { 'accept-language': 'en-GB' },
  });
  // The suffix of the exact amount may be above a cent.
  expect(chosen.body.data.payment.amount).toMatch(/^52\.9[23]/);
  expect(chosen.body.data).toMatchObject({ amount: '49.00', currency: 'EUR' });
  perDollar = async () => null;
  expect(await estimateAt(`/checkout/${session.id}?view=choose`, 'en-GB')).toBeNull();
  perDollar = fixed.perDollar;
});

test('an amount that the customer decides and a receipt have no estimate', async () => {
  const link = await app.merchant.createLink({ amount: '20.00', open_amount: { min: '5.00', max: '500.00' } });
  expect(await estimateAt(`/pay/${link.id}`, 'en-GB')).toBeNull();
  const { id } = await app.merchant.createSession({ amount: '49.00' });
  expect(await estimateAt(`/receipt/${id}`, 'en-GB')).toBeNull();
});
