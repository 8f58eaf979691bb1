import { findAsset, type Asset } from '@quittance/contract';
import { expect, test } from 'vitest';
import { isPremiumTooHigh, premiumBps, priceWarning } from './route-premium.ts';

const asset = (symbol: string, network: string) => findAsset(symbol, network) as Asset;
const dollars = (numerator: bigint, denominator = 1n) => ({ numerator, denominator });
const LIMITS = { warnAbovePercent: 5, refuseAbovePercent: 15 };

test.each([
  ['the same value', 19_600_000_000_000_000n, 49_000_000n, 0],
  ['1.5 % more', 19_894_000_000_000_000n, 49_000_000n, 150],
  ['two cents and a hundredth of a basis point more, rounded up', 19_608_000_200_000_000n, 49_000_000n, 5],
  ['less than a cent more, caused by rounding to base units', 1_400_000_000_000n, 2_723n, 0],
  ['half the value', 9_800_000_000_000_000n, 49_000_000n, -5_000],
  ['a million times more, capped', 19_600_000_000_000_000_000_000n, 49_000_000n, 1_000_000],
])('ETH at 2,500 dollars into USDC: %s', (_, inputUnits, outputUnits, bps) => {
  expect(
    premiumBps(
      { pay: asset('ETH', 'base'), receive: asset('USDC', 'solana'), inputUnits, outputUnits },
      { pay: dollars(2_500n), receive: dollars(1n) },
    ),
  ).toBe(bps);
});

test('both prices are fractions', () => {
  const conversion = {
    pay: asset('TRX', 'tron'),
    receive: asset('SOL', 'solana'),
    inputUnits: 1_100_000_000n,
    outputUnits: 1_000_000_000n,
  };
  expect(premiumBps(conversion, { pay: dollars(15n, 100n), receive: dollars(150n) })).toBe(1_000);
});

test('the warning starts above 5 %, and a route above 15 % is refused', () => {
  expect([null, -200, 500, 501, 725, 1_500].map((bps) => priceWarning(bps, LIMITS))).toEqual([
    null,
    null,
    null,
    5,
    7.3,
    15,
  ]);
  expect([500, 1_500, 1_501].map((bps) => isPremiumTooHigh(bps, LIMITS))).toEqual([false, false, true]);
});
