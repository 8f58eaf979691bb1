import { expect, test } from 'vitest';
import { createFixedPrices } from '../../outside/prices/fixed.ts';
import { DISPLAY_CURRENCIES, type DisplayCurrency } from '../../outside/prices/prices.ts';
import { estimate } from './estimate.ts';

const FIXED = {
  EUR: '1.08',
  GBP: '1.25',
  CHF: '1.1',
  JPY: '0.0064',
  TRY: '0.029',
  BRL: '0.18',
  CAD: '0.72',
  KWD: '3.25',
};
const prices = createFixedPrices({ fixed: FIXED, sources: 'fixed' });
const about = (amount: string, currency: string, reader: { currency?: string; locale: string }) =>
  estimate(
    prices,
    { amount, currency, livemode: true },
    { currency: reader.currency as DisplayCurrency | undefined, locale: reader.locale },
  );
/** Arabic adds direction marks, and several languages spaces that do not break. */
const plain = (text: string | null) => text?.replace(/[\u200e\u200f\u061c]/g, '').replace(/[\u00a0\u202f]/g, ' ');

test.each([
  ['en', '49.00', 'USD', 'GBP', '£39.20'],
  ['en', '49.00', 'USD', 'EUR', '€45.37'],
  ['fr', '49.00', 'USD', 'EUR', '45,37 €'],
  ['de', '49.00', 'USD', 'CHF', '44,55 CHF'],
  ['ja', '49.00', 'USD', 'JPY', '￥7,656'],
  ['ar', '49.00', 'USD', 'AED', '179.95 د.إ.'],
  ['tr', '49.00', 'USD', 'TRY', '₺1.690'],
  ['pt-BR', '49.00', 'USD', 'BRL', 'R$ 272,22'],
  ['en', '49.00', 'EUR', 'USD', '$52.92'],
  ['en', '49.00', 'AED', 'EUR', '€12.35'],
  ['en', '49.00', 'USD', 'KWD', 'KWD 15.077'],
  // Not a bare sign of dollars beside a price in dollars.
  ['en', '49.00', 'USD', 'CAD', 'CA$68.06'],
  ['fr', '49.00', 'USD', 'CAD', '68,06 $CA'],
  ['en', '999999999.99', 'USD', 'JPY', '¥156,249,999,998'],
])('in %s, %s %s is about so much %s: %s', async (locale, amount, from, currency, text) => {
  expect(plain(await about(amount, from, { currency, locale }))).toBe(text);
});

test.each([
  ['the currency of the price', '49.00', 'USD'],
  ['an unknown currency', '49.00', undefined],
  ['a currency without a rate', '49.00', 'INR'],
  ['what rounds to nothing', '0.00', 'GBP'],
])('%s has no estimate', async (_name, amount, currency) => {
  expect(await about(amount, 'USD', { currency, locale: 'en' })).toBeNull();
});

test('every currency that a page may show is one that its languages can write', () => {
  const known = new Set(Intl.supportedValuesOf('currency'));
  expect(DISPLAY_CURRENCIES.filter((currency) => !known.has(currency))).toEqual([]);
  expect(new Set(DISPLAY_CURRENCIES).size).toBe(DISPLAY_CURRENCIES.length);
});
