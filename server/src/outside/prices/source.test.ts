import { expect, test } from 'vitest';
import { plainPrice } from './source.ts';

test.each([
  ['2500.5', '2500.5'],
  [2500, '2500'],
  ['0.1234567890123456789', '0.123456789012345678'],
  ['0.000000000000000001', '0.000000000000000001'],
])('%s is the price %s', (value, price) => {
  expect(plainPrice(value)).toBe(price);
});

test.each(['0', 0, '0.00', '0.0000000000000000001', '-1', '1e3', '', null, {}])('%s is not a price', (value) => {
  expect(plainPrice(value)).toBeUndefined();
});
