import { expect, test } from 'vitest';
import { visitorCurrency } from './visitor-currency.ts';

test.each([
  ['en-GB,en;q=0.9', 'GBP'],
  ['fr-FR', 'EUR'],
  ['de-CH, de;q=0.8', 'CHF'],
  ['ja-JP', 'JPY'],
  ['ar-AE', 'AED'],
  ['tr-TR', 'TRY'],
  ['pt-BR', 'BRL'],
  ['pt-PT', 'EUR'],
  ['EN-us', 'USD'],
  ['zh-Hant-TW', 'TWD'],
  ['de-CH-1996;q=1', 'CHF'],
  // Firefox names the language before the region.
  ['fr,fr-CA;q=0.8,en-US;q=0.5,en;q=0.3', 'CAD'],
  // Chrome names no region for some languages of one country.
  ['ja,en-US;q=0.9,en;q=0.8', 'JPY'],
])('a browser that says %s pays in %s at home', (header, currency) => {
  expect(visitorCurrency(header)).toBe(currency);
});

test.each([
  undefined,
  '',
  '*',
  'en',
  'de,en-US;q=0.7,en;q=0.3',
  'es-419',
  'ar',
  'en-AQ',
  'xx-YY',
  'en_GB',
  'en-G',
  '__proto__',
  'constructor,toString',
  ',,,;;;q=q=q',
  `${'en-'.repeat(4_000)}GB`,
  `${'en,'.repeat(4_000)}en-GB`,
  '\u0000en-GB',
  'en-GB\u0131',
])('%j names no currency', (header) => {
  expect(visitorCurrency(header)).toBeUndefined();
});
