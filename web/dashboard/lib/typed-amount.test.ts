import { expect, test } from 'vitest';
import { translator } from '../i18n/messages.ts';
import { plurals } from '../i18n/en.ts';
import type { Locale } from '../../ui/languages.ts';
import { amountProblem, countProblem, percentProblem, readCount } from './typed-amount.ts';

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
