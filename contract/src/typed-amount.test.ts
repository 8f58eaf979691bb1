import { expect, test } from 'vitest';
import { isAmbiguous, readAmount, typedIn } from './typed-amount.ts';

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
