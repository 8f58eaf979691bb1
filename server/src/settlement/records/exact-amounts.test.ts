import { type Asset, CURRENCIES, findAssetByKey, RECEIVE_ASSETS } from '@quittance/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { granularityUnits, peggedRate, requiredUnits } from './amounts.ts';
import {
  candidatesOf,
  isRound,
  pickAmount,
  plainAmount,
  suffixSteps,
  type ReservedAmount,
  tiersOf,
} from './exact-amounts.ts';

const usdc = asset('USDC_BASE');
const ether = asset('ETH_ETHEREUM');
const now = new Date('2026-01-01T12:00:00Z');
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyPrice = fc.record({
  of: fc.constantFrom(...RECEIVE_ASSETS),
  currency: fc.constantFrom(...CURRENCIES),
  amountMinor: fc.bigInt({ min: 1n, max: 99_999_999_999n }),
  rate: fc.record({
    numerator: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    denominator: fc.bigInt({ min: 1n, max: 10n ** 8n }),
  }),
});

describe('amounts that a checkout may reserve', () => {
  test('a dollar stablecoin has 9,999 suffixes below one cent and 49,999 below five', () => {
    expect(suffixSteps(49_000_000n, 4900n, usdc, 1n)).toBe(9_999n);
    expect(suffixSteps(49_000_000n, 4900n, usdc, 5n)).toBe(49_999n);
  });

  test('49.00 in a dollar stablecoin has 297,000 amounts, enough for 100 paid checkouts a minute with 48 hours of quarantine', () => {
    const amounts = allOf(tiersOf(49_000_000n, 4900n, usdc), usdc);
    expect(amounts.size).toBe(297_000);
    expect(amounts.size / (48 * 60)).toBeGreaterThan(100);
  });

  test('49.00 in ether at 2,500 has more than 100,000 amounts below five cents, enough for 1,000 unpaid checkouts a minute', () => {
    const belowFive = [...allOf(tiersOf(19_600_000_000_000_000n, 4900n, ether).slice(0, 3), ether)];
    expect(belowFive.length).toBeGreaterThan(100_000);
    expect(belowFive.every((amount) => amount < 19_620_000_000_000_000n)).toBe(true);
  });

  test('a fine amount of ether is rounded to eight decimals as an amount that is never reserved', () => {
    const fine = tiersOf(19_600_000_000_000_000n, 4900n, ether)[2];
    if (!fine) throw new Error('there are no fine amounts');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: fine.size - 1n }), (index) => {
        const step = granularityUnits(ether);
        const amount = fine.amountAt(index);
        expect(isRound(amount, ether)).toBe(false);
        expect(isRound((amount / step) * step, ether)).toBe(true);
        expect(isRound(((amount + step / 2n) / step) * step, ether)).toBe(true);
      }),
    );
  });

  test('beyond five cents a customer pays at most thirty cents or one percent more', () => {
    for (const [amountMinor, most] of [
      [4900n, 300_000n],
      [1000n, 100_000n],
      [100n, 50_000n],
      [1n, 50_000n],
    ] as const) {
      const required = amountMinor * 10_000n;
      const highest = [...allOf(tiersOf(required, amountMinor, usdc), usdc)].reduce((a, b) => (a > b ? a : b));
      expect(highest - required).toBeLessThan(most);
    }
  });
});

describe('the picked amount', () => {
  test('is above the price, never round, and not reserved, for every coin, currency and price', () => {
    fc.assert(
      fc.property(
        anyPrice,
        anyRandom,
        fc.integer({ min: 0, max: 255 }),
        ({ of, currency, amountMinor, rate }, random, used) => {
          const required = requiredUnits(amountMinor, of, peggedRate(of.asset, currency) ?? rate);
          for (const tier of tiersOf(required, amountMinor, of)) {
            const candidates = candidatesOf(tier, required, of, random);
            expect(candidates.length).toBeLessThanOrEqual(256);
            const open = candidates.map((amountUnits): ReservedAmount => ({ amountUnits, takenAt: now, until: null }));
            const amount = pickAmount(candidates, open.slice(0, used), now);
            if (used >= candidates.length) expect(amount).toBeUndefined();
            else expect(candidates.slice(used)).toContain(amount);
            for (const one of candidates) expect(one > required && !isRound(one, of)).toBe(true);
            expect(pickAmount(candidates, open, now)).toBeUndefined();
          }
        },
      ),
    );
  });

  test('is any amount of a small tier except every hundredth', () => {
    const given = new Set<bigint>();
    for (;;) {
      const taken = [...given].map((amountUnits): ReservedAmount => ({ amountUnits, takenAt: now, until: null }));
      const tier = { size: 200n, amountAt: (index: bigint) => 13_342_410n + index + 1n };
      const amount = pickAmount(candidatesOf(tier, 13_342_410n, usdc, 0.999), taken, now);
      if (amount === undefined) break;
      given.add(amount);
    }
    expect(given.size).toBe(198);
  });

  test('is the least recently used one if all were used, and never one in quarantine', () => {
    const taken = [
      { amountUnits: 101n, takenAt: hoursAgo(80), until: hoursAgo(20) },
      { amountUnits: 102n, takenAt: hoursAgo(90), until: hoursAgo(10) },
      { amountUnits: 103n, takenAt: hoursAgo(99), until: hoursAgo(-1) },
      { amountUnits: 104n, takenAt: hoursAgo(99), until: null },
    ];
    expect(pickAmount([101n, 102n, 103n, 104n], taken, now)).toBe(102n);
    expect(pickAmount([101n, 103n, 104n], taken, now)).toBe(101n);
    expect(pickAmount([103n, 104n], taken, now)).toBeUndefined();
    expect(pickAmount([104n, 105n], taken, now)).toBe(105n);
  });
});

test('an amount without a suffix is the next one that is never reserved', () => {
  expect(plainAmount(49_000_000n, usdc)).toBe(49_000_000n);
  expect(plainAmount(27_229_408n, usdc)).toBe(27_229_500n);
  expect(plainAmount(19_634_210_000_000_000n, ether)).toBe(19_635_000_000_000_000n);
  fc.assert(
    fc.property(anyPrice, ({ of, currency, amountMinor, rate }) => {
      const required = requiredUnits(amountMinor, of, peggedRate(of.asset, currency) ?? rate);
      const plain = plainAmount(required, of);
      expect(plain >= required && plain < required + 100n * granularityUnits(of)).toBe(true);
      expect(isRound(plain, of)).toBe(true);
    }),
  );
});

function allOf(tiers: ReturnType<typeof tiersOf>, of: Asset): Set<bigint> {
  const amounts = new Set<bigint>();
  for (const { size, amountAt } of tiers) for (let index = 0n; index < size; index += 1n) amounts.add(amountAt(index));
  return new Set([...amounts].filter((amount) => !isRound(amount, of)));
}

function asset(key: string): Asset {
  const entry = findAssetByKey(key);
  if (!entry) throw new Error(`no asset ${key}`);
  return entry;
}

function hoursAgo(hours: number): Date {
  return new Date(now.getTime() - hours * 3_600_000);
}
