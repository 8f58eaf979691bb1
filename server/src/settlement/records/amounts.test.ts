import { CURRENCIES, findAssetByKey, RECEIVE_ASSETS, type Asset } from '@quittance/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  granularityUnits,
  isDust,
  isRound,
  peggedRate,
  pickAmount,
  requiredUnits,
  tailSteps,
  toleranceUnits,
  worthMinor,
  type TakenAmount,
} from './amounts.ts';

const usdc = asset('USDC_BASE');
const ether = asset('ETH_ETHEREUM');
const sol = asset('SOL_SOLANA');
const now = new Date('2026-01-01T12:00:00Z');

describe('what a display amount requires', () => {
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

  test('is always worth at least the amount, and at most one step more', () => {
    fc.assert(
      fc.property(anyAmount(), fc.constantFrom(...RECEIVE_ASSETS), anyRate(), (amountMinor, of, rate) => {
        const units = requiredUnits(amountMinor, of, rate);
        expect(worthMinor(units, of, rate)).toBeGreaterThanOrEqual(amountMinor);
        const step = of.decimals > 9 ? 10n ** BigInt(of.decimals - 8) : 1n;
        expect(
          (units - step) * 100n * rate.numerator < amountMinor * rate.denominator * 10n ** BigInt(of.decimals),
        ).toBe(true);
      }),
    );
  });
});

test('dollar coins are pegged in dollars and dirhams and nothing else is', () => {
  expect(peggedRate('USDC', 'USD')).toEqual({ numerator: 1n, denominator: 1n });
  expect(peggedRate('USDT', 'AED')).toEqual({ numerator: 36_725n, denominator: 10_000n });
  expect(peggedRate('USDC', 'EUR')).toBeUndefined();
  expect(peggedRate('ETH', 'USD')).toBeUndefined();
});

describe('tolerance', () => {
  test.each([
    ['half a per cent of a small amount', 49_000_000n, 4900n, null, 245_000n],
    ['never more than 1.00', 1_000_000_000n, 100_000n, null, 1_000_000n],
    ['none where the merchant wants none', 49_000_000n, 4900n, 0, 0n],
    ["the merchant's five per cent have no cap", 1_000_000_000n, 100_000n, 500, 50_000_000n],
  ])('%s', (_, required, amountMinor, bps, units) => {
    expect(toleranceUnits(required, amountMinor, bps)).toBe(units);
  });
});

test.each([
  ['one per cent of what is due', 490_000n, 49_000_000n, false],
  ['just below it', 489_999n, 49_000_000n, true],
  ['a cent of a small remainder', 10_000n, 500_000n, false],
  ['less than a cent of a small remainder', 9_999n, 500_000n, true],
])('dust: %s', (_, units, due, dust) => {
  expect(isDust(units, due, 49_000_000n, 4900n)).toBe(dust);
});

describe('the exact amount', () => {
  test('a dollar coin has 9,999 tails below one cent and 49,999 below five', () => {
    expect(tailSteps(49_000_000n, 4900n, usdc, 1n)).toBe(9_999n);
    expect(tailSteps(49_000_000n, 4900n, usdc, 5n)).toBe(49_999n);
  });

  test('has a tail of at least one step, below what was allowed, and is used by nobody', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(usdc, ether, sol),
        fc.integer({ min: 1, max: 60 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (of, steps, tails, random) => {
          const step = of === ether ? 10n ** 10n : 1n;
          const taken = tails.map(
            (tail): TakenAmount => ({
              amountUnits: 1_000_000n * step + BigInt(tail) * step,
              takenAt: now,
              until: null,
            }),
          );
          const amount = pickAmount(1_000_000n * step, of, BigInt(steps), taken, now, random);
          const free = Array.from({ length: steps }, (_, index) => index + 1).filter((tail) => !tails.includes(tail));
          if (free.length === 0) expect(amount).toBeUndefined();
          else expect(free.map((tail) => 1_000_000n * step + BigInt(tail) * step)).toContain(amount);
        },
      ),
    );
  });

  test('is never round, in no currency and coin, also when nearly all and all are used up', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CURRENCIES),
        fc.constantFrom(...RECEIVE_ASSETS),
        anyRate(),
        anyAmount(),
        fc.constantFrom(1n, 5n),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.boolean(),
        (currency, of, rate, amountMinor, cents, random, wasRound) => {
          const required = requiredUnits(amountMinor, of, peggedRate(of.asset, currency) ?? rate);
          const step = granularityUnits(of);
          const all = tailSteps(required, amountMinor, of, cents);
          const steps = all < 300n ? all : 300n;
          const tails = Array.from({ length: Number(steps) }, (_, index) => required + BigInt(index + 1) * step);
          const fine = tails.filter((amount) => !isRound(amount, of));
          const usable = wasRound ? tails : fine;
          const taken = usable.map(
            (amountUnits): TakenAmount => ({
              amountUnits,
              takenAt: isRound(amountUnits, of) ? hoursAgo(99) : hoursAgo(90),
              until: hoursAgo(20),
            }),
          );
          const open = taken.map((one) => ({ ...one, until: null }));
          for (const used of [[], taken.slice(1), taken]) {
            const amount = pickAmount(required, of, steps, used, now, random);
            if (fine.length === 0) expect(amount).toBeUndefined();
            else expect(fine).toContain(amount);
          }
          expect(pickAmount(required, of, steps, open, now, random)).toBeUndefined();
        },
      ),
    );
  });

  test('is given out of all that are not round, one in a hundred less than there are', () => {
    const given = new Set<bigint>();
    for (
      let taken: TakenAmount[] = [];
      ;
      taken = [...given].map((amountUnits) => ({ amountUnits, takenAt: now, until: null }))
    ) {
      const amount = pickAmount(13_342_410n, usdc, 300n, taken, now, 0.999);
      if (amount === undefined) break;
      given.add(amount);
    }
    expect(given.size).toBe(297);
    expect([...given].filter((amount) => amount % 100n === 0n)).toEqual([]);
  });

  test('when all were used, the one whose use lies longest back is given out first, and none within its quarantine', () => {
    const taken = [
      { amountUnits: 101n, takenAt: hoursAgo(80), until: hoursAgo(20) },
      { amountUnits: 102n, takenAt: hoursAgo(90), until: hoursAgo(10) },
      { amountUnits: 103n, takenAt: hoursAgo(99), until: hoursAgo(-1) },
      { amountUnits: 104n, takenAt: hoursAgo(99), until: null },
    ];
    expect(pickAmount(100n, usdc, 4n, taken, now, 0.5)).toBe(102n);
    expect(pickAmount(100n, usdc, 4n, taken.slice(2), now, 0)).toBe(101n);
    expect(pickAmount(102n, usdc, 2n, taken.slice(2), now, 0)).toBeUndefined();
  });
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

function hoursAgo(hours: number): Date {
  return new Date(now.getTime() - hours * 3_600_000);
}
