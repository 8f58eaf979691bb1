import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { translator } from '../i18n/messages.ts';
import { plurals } from '../i18n/en.ts';
import type { Locale } from '../../ui/languages.ts';
import {
  amountProblem,
  countProblem,
  isAmbiguous,
  percentProblem,
  readAmount,
  readCount,
  typedIn,
} from './typed-amount.ts';

test.each([
  ['49', '49'],
  ['.5', '0.5'],
  [',50', '0.50'],
  ['٫٥', '0.5'],
  ['49.5', '49.5'],
  ['49,50', '49.50'],
  ['49.00', '49.00'],
  [' 49,00 ', '49.00'],
  ['1250', '1250'],
  ['1.250,50', '1250.50'],
  ['1,250.50', '1250.50'],
  ['1 250,50', '1250.50'],
  ['1\u202F250,50', '1250.50'],
  ["1'250.50", '1250.50'],
  ['1.250.000', '1250000'],
  ['1,00,000', '100000'],
  ['1,00,000.50', '100000.50'],
  ['٤٩٫٥٠', '49.50'],
  ['१२.५', '12.5'],
])('%s is the amount %s in every language', (typed, amount) => {
  expect(readAmount(typed)).toBe(amount);
});

test.each(['1.250', '1,250', '12.345', '999,999', '١٫٢٥٠'])(
  '%s is a thousand times more in one language than in another, so it is no amount',
  (typed) => {
    expect([readAmount(typed), isAmbiguous(typed)]).toEqual([null, true]);
  },
);

test.each([
  ['2.125', '49', 'en', '2.125'],
  ['2,125', '49', 'de', '2.125'],
  ['2,125', '49', 'en', null],
  ['1,000', '999.5', 'en', null],
  ['1.000', '999.5', 'de', null],
  ['2.125', '2125', 'en', null],
])('%s of a coin, of which there are %s at most, is in %s the amount %s', (typed, most, locale, amount) => {
  expect(readAmount(typed, 6, { most, locale })).toBe(amount);
});

test.each([
  '',
  '49,',
  '.',
  '-.5',
  '.500',
  '1..5',
  '1.2.3',
  '0.125.000',
  '1.25,50',
  '1,250,50',
  '1.250.50',
  '12,34,56',
  '1234.567',
  '1e3',
  '-5',
  '٤x',
  '1234567890',
  '1 25',
])('%s is no amount', (typed) => {
  expect(readAmount(typed)).toBeNull();
});

test.each([
  ['12.50', 2, false],
  ['.5', 2, false],
  ['', 2, 'Enter a number such as 12.50.'],
  ['12 euros', 2, 'Enter a number such as 12.50.'],
  ['0', 2, 'At least 0.01'],
  ['0.00', 2, 'At least 0.01'],
  ['0.125', 2, 'At most 2 decimals'],
  ['1234.567', 2, 'At most 2 decimals'],
  ['1.250', 2, 'Unclear: this could mean a thousand times more. Write it with two decimals, such as 1250.00 or 1.25.'],
  ['99999999999', 2, 'At most 999999999.99'],
  ['1,000,000,000.50', 2, 'At most 999999999.99'],
  ['1234567890.125', 2, 'At most 999999999.99'],
  ['1234567890 euros', 2, 'Enter a number such as 12.50.'],
  ['15.5000001', 6, 'At most 6 decimals'],
  ['15.500001', 6, false],
  ['0', 6, 'At least 0.000001'],
])('what is wrong with %s, of which there are %i decimals: %s', (typed, decimals, said) => {
  expect(amountProblem(typed, { locale: 'en', t: translator('en', plurals) }, decimals)).toBe(said);
});

test.each([
  ['0,3', 'de', false],
  ['0.3', 'de', false],
  ['٠٫٣', 'ar-EG', false],
  ['0', 'en', false],
  ['5', 'en', false],
  ['5.01', 'en', 'At most 5%'],
  ['-1', 'en', 'Enter a number such as 0.5.'],
  ['0.125', 'en', 'Enter a number such as 0.5.'],
  ['1.250', 'en', 'Enter a number such as 0.5.'],
  ['some', 'de', 'Enter a number such as 0,5.'],
])('what is wrong with %s as a percentage in %s: %s', (typed, locale, said) => {
  expect(percentProblem(typed, 5, { locale: locale as Locale, t: translator('en', plurals) })).toBe(said);
});

test.each([
  ['1', '1', false],
  [' 250 ', '250', false],
  ['1.000', '1000', false],
  ['1,000', '1000', false],
  ['1 000 000', '1000000', false],
  ['٢٥', '25', false],
  ['0', '0', 'At least 1'],
  ['1000001', '1000001', 'At most 1000000'],
  ['1,5', null, 'Enter a number such as 100.'],
  ['-3', null, 'Enter a number such as 100.'],
  ['1e3', null, 'Enter a number such as 100.'],
])('%s is the count %s, and what is wrong with it: %s', (typed, count, said) => {
  expect(readCount(typed)).toBe(count);
  expect(countProblem(typed, 1_000_000, { locale: 'en', t: translator('en', plurals) })).toBe(said);
});

test('what a price looks like in a language is read as that price', () => {
  for (const locale of ['en', 'de', 'de-CH', 'fr', 'es', 'pt-BR', 'ru', 'tr', 'ar-EG', 'hi-IN', 'ur', 'ja', 'zh-CN'])
    for (const amount of ['0.05', '49.50', '1250.50', '1234567.89']) {
      const shown = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(
        amount as Intl.StringNumericLiteral,
      );
      expect(readAmount(shown), `${locale} ${shown}`).toBe(amount);
    }
});

test('an amount of a coin is prefilled with the sign of the language, and read as it was', () => {
  expect([typedIn('de', '49.006742'), typedIn('en', '1250.000000')]).toEqual(['49,006742', '1250.000000']);
  for (const locale of ['en', 'de', 'de-CH', 'fr', 'es', 'pt-BR', 'ru', 'tr', 'ar-EG', 'hi-IN', 'ur', 'ja', 'zh-CN'])
    for (const amount of ['0.050000', '49.006742', '1250.500000', '0.000000000000000001']) {
      const shown = typedIn(locale, amount);
      expect(readAmount(shown, amount.length - 2), `${locale} ${shown}`).toBe(amount);
    }
});

test('no field is of the type that drops a comma without a word', () => {
  const folder = fileURLToPath(new URL('../..', import.meta.url));
  const files = globSync('{checkout,dashboard,ui}/**/*.tsx', { cwd: folder });
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => readFileSync(folder + file, 'utf8').includes('type="number"'))).toEqual([]);
});
