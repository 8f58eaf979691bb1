import { expect, test } from 'vitest';
import {
  withSameDigits,
  coinAmount,
  differsNoticeably,
  displayMoney,
  exchangeAmount,
  isBelowOneCent,
  isPositive,
  plainAmount,
  roughAmount,
  surplus,
  unitPrice,
} from './money.ts';

test.each([
  ['0.00', false],
  ['0.000001', true],
  ['0', false],
  ['-1', false],
  ['10', true],
])('%s is above zero: %s', (amount, expected) => {
  expect(isPositive(amount)).toBe(expected);
});

test.each([
  ['0.019600310000000000', '0.01960031'],
  ['49.000000', '49'],
  ['100', '100'],
  ['49.007667', '49.007667'],
])('%s is written %s', (amount, expected) => {
  expect(plainAmount(amount)).toBe(expected);
});

test.each([
  ['24.500000', '49.007151', '24.500000', '49.007151'],
  ['24.500000', '49.000000', '24.5', '49.0'],
  ['20.000000', '49.000000', '20', '49'],
  ['0.009800000000000000', '0.019600310000000000', '0.00980000', '0.01960031'],
])('%s of %s has as many digits: %s of %s', (seen, amount, ...expected) => {
  expect(Object.values(withSameDigits(seen, amount))).toEqual(expected);
});

test.each([
  ['0.082077295685279189', '0.0820773'],
  ['0.019699703908629442', '0.01969971'],
  ['0.019600310000000000', '0.01960031'],
  ['0.00082082', '0.00082082'],
  ['49.241095', '49.241095'],
])('%s is entered at an exchange as %s', (amount, expected) => {
  expect(exchangeAmount(amount)).toBe(expected);
});

test.each([
  ['54.5', '49.5', '5'],
  ['49.000001', '49', '0.000001'],
  ['49', '49', null],
  ['1', '2', null],
])('%s sent for %s is %s too much', (sent, asked, expected) => {
  expect(surplus(sent, asked)).toBe(expected);
});

test.each([
  ['49.00', '0.0196', '2500.00'],
  ['49.00', '98', '0.5'],
  ['49.00', '49.000317', '0.999994'],
  ['1.00', '0', null],
  ['999999999.99', '0.00000001', '99999999999000000.00'],
])('%s for %s makes one worth %s', (price, amount, expected) => {
  expect(unitPrice(price, amount)).toBe(expected);
});

test.each([
  ['100', '100.5', false],
  ['100', '100.51', true],
  ['100', '99.4', true],
])('from %s to %s is noticeable: %s', (before, after, expected) => {
  expect(differsNoticeably(before, after)).toBe(expected);
});

test.each([
  ['en', '1234.50', 'AED', '1,234.50 AED'],
  ['de', '1234.50', 'EUR', '1.234,50 EUR'],
  ['ar', '1234.50', 'AED', '1,234.50 AED'],
  ['en', '-5.00', 'USD', '−5.00 USD'],
  ['en', '999999999.99', 'USD', '999,999,999.99 USD'],
])('in %s, %s %s reads %s', (locale, amount, currency, expected) => {
  // Arabic adds direction marks, which the page does not need because it isolates amounts.
  expect(displayMoney(amount, currency, locale).replace(/[\u200e\u200f\u061c]/g, '')).toBe(expected);
});

test.each([
  ['0.019600310000000000', '0.0196'],
  ['49.239899', '49.24'],
  ['0.00082068', '0.0008207'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['0.00083412', '0.0008341'],
  ['49.000000', '49'],
  ['1234.567890', '1234.57'],
  ['0.5', '0.5'],
])('%s is about %s', (amount, expected) => {
  expect(roughAmount(amount)).toBe(expected);
});

test.each([
  ['0.000317', true],
  ['0.009999', true],
  ['0.01', false],
  ['0.0412', false],
  ['10', false],
  ['1.001', false],
])('%s is below one cent: %s', (amount, expected) => {
  expect(isBelowOneCent(amount)).toBe(expected);
});

test('an amount of a coin has the decimal mark of the language, and no groups that a wallet would refuse', () => {
  expect(coinAmount('1234.567890', 'de')).toBe('1234,56789');
  expect(coinAmount('1234.567890', 'ar')).toBe('1234.56789');
  expect(coinAmount('49', 'fr')).toBe('49');
});
