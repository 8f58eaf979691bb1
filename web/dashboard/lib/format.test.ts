import { afterAll, expect, test, vi } from 'vitest';
import { assetAmount } from './format.ts';

vi.stubGlobal('document', { documentElement: { dir: 'ltr' } });
afterAll(() => vi.unstubAllGlobals());

test.each([
  ['en', '31.002357', '31.002357 USDC'],
  ['de', '31.002357', '31,002357 USDC'],
  ['de', '15.500000', '15,5 USDC'],
  // Not grouped: a point would be read as the start of the decimals.
  ['de', '12345.000000', '12345 USDC'],
  ['en', '0.000000000000000001', '0.000000000000000001 USDC'],
  ['en', '90071992547409931.123456789012345678', '90071992547409931.123456789012345678 USDC'],
])('in %s, %s reads %s', (locale, amount, expected) => {
  expect(assetAmount(locale, amount, 'USDC')).toBe(expected);
});

test('an amount that is not known is a dash', () => {
  expect(assetAmount('en', null, 'USDC')).toBe('–');
});
