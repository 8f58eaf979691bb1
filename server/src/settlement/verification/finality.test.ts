import type { ReceiveNetwork } from '@quittance/contract';
import { describe, expect, test } from 'vitest';
import { NOT_ASKED } from '../../outside/chains/chain.ts';
import { confirmations, finalBlock, finalityRule, isFinal, worthUsdMinor } from './finality.ts';

const head = { number: 1_000n, safe: 960n, finalized: 930n };
const SMALL = 999_99n;
const MIDDLE = 1_000_00n;
const LARGE = 10_000_00n;

describe('the last final block', () => {
  test.each<[ReceiveNetwork, bigint, number | null, bigint]>([
    ['ethereum', SMALL, null, 989n],
    ['ethereum', MIDDLE, null, 960n],
    ['ethereum', LARGE, null, 930n],
    ['base', SMALL, null, 991n],
    ['base', MIDDLE, null, 960n],
    ['base', LARGE, null, 930n],
    ['arbitrum', SMALL, null, 961n],
    ['arbitrum', LARGE, null, 930n],
    ['polygon', SMALL, null, 930n],
    ['polygon', LARGE, null, 930n],
    ['solana', SMALL, null, 930n],
    ['ethereum', LARGE, 1, 1_000n],
    ['ethereum', LARGE, 3, 998n],
    ['solana', SMALL, 5, 996n],
  ])('%s, worth %i cents, setting %s: final up to block %i', (network, worth, setting, last) => {
    const rule = finalityRule(network, worth, setting);
    expect(isFinal(rule, last, head)).toBe(true);
    expect(isFinal(rule, last + 1n, head)).toBe(false);
  });
});

test('a provider without tags requires confirmation depth instead', () => {
  const rule = finalityRule('polygon', SMALL, null);
  const untagged = { number: 1_000n, safe: null, finalized: null };
  expect(isFinal(rule, 937n, untagged)).toBe(true);
  expect(isFinal(rule, 938n, untagged)).toBe(false);
});

test('a head that was not asked for its tags makes nothing final by them, and goes on making blocks final by their number', () => {
  const plain = { number: 1_000n, safe: NOT_ASKED, finalized: NOT_ASKED };
  for (const [network, worth] of [
    ['polygon', SMALL],
    ['ethereum', MIDDLE],
    ['base', LARGE],
  ] as const)
    expect([network, isFinal(finalityRule(network, worth, null), 1n, plain)]).toEqual([network, false]);
  expect(finalBlock(finalityRule('base', LARGE, null), plain)).toBe(NOT_ASKED);
  expect(isFinal(finalityRule('base', SMALL, null), 991n, plain)).toBe(true);
});

test.each<[ReceiveNetwork, bigint, bigint]>([
  ['polygon', SMALL, 937n],
  ['ethereum', MIDDLE, 905n],
  ['ethereum', LARGE, 905n],
])(
  'on %s, a tag that too few providers know makes nothing final before the blocks are there',
  (network, worth, last) => {
    const rule = finalityRule(network, worth, null);
    const ofFew = { number: 1_000n, safe: 1_000n, finalized: 1_000n, hasTagOfFew: true } as const;
    expect(isFinal(rule, last, ofFew)).toBe(true);
    expect(isFinal(rule, last + 1n, ofFew)).toBe(false);
    // Nor is a block final that the tag has not reached.
    expect(isFinal(rule, last, { ...ofFew, safe: last - 1n, finalized: last - 1n })).toBe(false);
  },
);

test('the block of inclusion is the first confirmation, and a block above the head has none', () => {
  expect(confirmations(1_000n, 1_000n)).toBe(1);
  expect(confirmations(1_000n, 1_011n)).toBe(12);
  expect(confirmations(1_001n, 1_000n)).toBe(0);
});

test('euros and dirhams count for at least their value in dollars', () => {
  expect(worthUsdMinor(1_000_00n, 'EUR')).toBeGreaterThanOrEqual(1_200_00n);
  expect(worthUsdMinor(3_672_50n, 'AED')).toBeGreaterThanOrEqual(1_000_00n);
});
