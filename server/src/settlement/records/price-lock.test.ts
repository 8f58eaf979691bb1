import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../platform/time.ts';
import { isOffPeg, isRoutePriceLocked, routeDeadline } from './price-lock.ts';

const NOW = new Date('2026-03-14T12:00:00Z');
const at = (ms: number) => later(NOW, ms);

describe('the price of a conversion is locked', () => {
  test.each([
    ['bitcoin', 60],
    ['ethereum', 15],
    ['bnb', 5],
    ['solana', 5],
  ] as const)('on %s for %i minutes after the last moment to send', (payNetwork, minutes) => {
    const order = { lockedUntil: at(15 * MINUTE_MS), payNetwork, convertingAt: null };
    const end = (15 + minutes) * MINUTE_MS;
    expect(isRoutePriceLocked(order, at(end))).toBe(true);
    expect(isRoutePriceLocked(order, at(end + 1))).toBe(false);
    expect(isRoutePriceLocked({ ...order, convertingAt: at(end) }, at(DAY_MS))).toBe(true);
    expect(isRoutePriceLocked({ ...order, convertingAt: at(end + 1) }, at(DAY_MS))).toBe(false);
  });
});

describe('a provider takes deposits', () => {
  const inDays = (days: number) => at(days * DAY_MS);
  test.each([
    ['for as long as a slow deposit takes, if the price is volatile', false, inDays(30), 'bitcoin', 3.25 * HOUR_MS],
    ['for as long as a slow deposit takes on a fast network', false, inDays(30), 'bnb', 45 * MINUTE_MS],
    ['until the end of the session, if the coin counts as the currency', true, at(5 * HOUR_MS), 'bnb', 5 * HOUR_MS],
    ['for at most a day', true, inDays(30), 'bnb', DAY_MS],
    ['until a slow deposit is mined, even after the end', true, at(MINUTE_MS), 'bitcoin', 3 * HOUR_MS],
  ] as const)('%s', (_, isPegged, expiresAt, payNetwork, ms) => {
    expect(routeDeadline({ isPegged, expiresAt }, payNetwork, NOW)).toEqual(at(ms));
  });
});

test.each([
  [979n, true],
  [980n, false],
  [1_000n, false],
  [1_020n, false],
  [1_021n, true],
])('a dollar stablecoin at %i thousandths is off its peg: %s', (numerator, isOff) => {
  expect(isOffPeg({ numerator, denominator: 1_000n })).toBe(isOff);
});
