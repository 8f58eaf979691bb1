import { findAssetByKey, RECEIVE_ASSETS, type Asset } from '@quittance/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDust, peggedRate, requiredUnits, toleranceUnits } from './amounts.ts';

const usdc = asset('USDC_BASE');
const ether = asset('ETH_ETHEREUM');
const sol = asset('SOL_SOLANA');

describe('required units of a display amount', () => {
  test.each([
    ['49.00 USD in USDC, one to one', 4900n, usdc, { numerator: 1n, denominator: 1n }, 49_000_000n],
    [
      '100.00 AED in USDC, by the peg, rounded up',
      10000n,
      usdc,
      { numerator: 36_725n, denominator: 10_000n },
      27_229_408n,
    ],
    ['49.00 USD in ether at 2500', 4900n, ether, { numerator: 2500n, denominator: 1n }, 19_600_000_000_000_000n],
    [
      '0.01 USD in ether at 3512.40, rounded up to eight decimals',
      1n,
      ether,
      { numerator: 351240n, denominator: 100n },
      2_850_000_000_000n,
    ],
    ['49.00 USD in SOL at 150', 4900n, sol, { numerator: 150n, denominator: 1n }, 326_666_667n],
  ])('%s', (_, amountMinor, of, rate, units) => {
    expect(requiredUnits(amountMinor, of, rate)).toBe(units);
  });

  test('are always worth at least the amount, and at most one step more', () => {
    fc.assert(
      fc.property(anyAmount(), fc.constantFrom(...RECEIVE_ASSETS), anyRate(), (amountMinor, of, rate) => {
        const units = requiredUnits(amountMinor, of, rate);
        const worth = (units * 100n * rate.numerator) / (rate.denominator * 10n ** BigInt(of.decimals));
        expect(worth).toBeGreaterThanOrEqual(amountMinor);
        const step = of.decimals > 9 ? 10n ** BigInt(of.decimals - 8) : 1n;
        expect(
          (units - step) * 100n * rate.numerator < amountMinor * rate.denominator * 10n ** BigInt(of.decimals),
        ).toBe(true);
      }),
    );
  });
});

test('dollar stablecoins are pegged to dollars and dirhams, and no other pair is pegged', () => {
  expect(peggedRate('USDC', 'USD')).toEqual({ numerator: 1n, denominator: 1n });
  expect(peggedRate('USDT', 'AED')).toEqual({ numerator: 36_725n, denominator: 10_000n });
  expect(peggedRate('USDC', 'EUR')).toBeUndefined();
  expect(peggedRate('ETH', 'USD')).toBeUndefined();
});

describe('tolerance', () => {
  test.each([
    ['half a percent of a small amount', 49_000_000n, 4900n, null, 245_000n],
    ['never more than 1.00', 1_000_000_000n, 100_000n, null, 1_000_000n],
    ['zero if the merchant tolerates nothing', 49_000_000n, 4900n, 0, 0n],
    ["the merchant's five percent have no cap", 1_000_000_000n, 100_000n, 500, 50_000_000n],
  ])('%s', (_, required, amountMinor, bps, units) => {
    expect(toleranceUnits(required, amountMinor, bps)).toBe(units);
  });
});

test.each([
  ['one percent of the amount due', 490_000n, 49_000_000n, false],
  ['just below it', 489_999n, 49_000_000n, true],
  ['a cent of a small remainder', 10_000n, 500_000n, false],
  ['less than a cent of a small remainder', 9_999n, 500_000n, true],
])('dust: %s', (_, units, due, dust) => {
  expect(isDust(units, due, 49_000_000n, 4900n)).toBe(dust);
});

function asset(key: string): Asset {
  const entry = findAssetByKey(key);
  if (!entry) throw new Error(`no asset ${key}`);
  return entry;
}

function anyAmount() {
  return fc.bigInt({ min: 1n, max: 99_999_999_999n });
}

function anyRate() {
  return fc.record({
    numerator: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    denominator: fc.bigInt({ min: 1n, max: 10n ** 8n }),
  });
}
