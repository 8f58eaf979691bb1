import { expect, test } from 'vitest';
import { type ArrivedMoney, isShort } from './arrived.ts';

const MONEY: ArrivedMoney = {
  actualOutputUnits: null,
  expectedOutputUnits: 49_000_317n,
  receiveAsset: 'USDC',
  receiveNetwork: 'base',
  amountMinor: 4900n,
  currency: 'USD',
};

test.each([
  ['the exact amount', 49_000_317n, false],
  ['the price without the part that only identifies it', 49_000_000n, false],
  ['a cent less than the price', 48_990_000n, true],
  ['half of the price', 24_500_000n, true],
  ['nothing', null, false],
])('%s', (_, actualOutputUnits, expected) => {
  expect(isShort({ ...MONEY, actualOutputUnits })).toBe(expected);
});

test('without any money nothing is short', () => {
  expect(isShort(null)).toBe(false);
});
