import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { ANNOUNCED_HOLD_MS, type HoldingOrder, holdsPaymentOpen, mayStillDeliver } from './holding.ts';

const end = new Date('2026-01-01T12:00:00Z');
const held = new Date(end.getTime() + ANNOUNCED_HOLD_MS - 1);
const over = new Date(end.getTime() + ANNOUNCED_HOLD_MS);
const sinceEnd = new Date(end.getTime() + 1);

test.each<[string, HoldingOrder, Date, { live: boolean; simulated: boolean }]>([
  ['a conversion that is running', order('converting', { polledAt: sinceEnd }), over, { live: true, simulated: true }],
  ['a payout that was sent', order('delivering', { polledAt: sinceEnd }), over, { live: true, simulated: true }],
  ['a delivery that is not settled', order('done', { polledAt: sinceEnd }), over, { live: true, simulated: true }],
  ['a counted deposit', seen({ depositedUnits: 1n, polledAt: sinceEnd }), over, { live: true, simulated: true }],
  ['an announced deposit, just after the end', seen({ polledAt: sinceEnd }), held, { live: true, simulated: true }],
  ['an announced deposit, ten minutes later', seen({ polledAt: sinceEnd }), over, { live: false, simulated: false }],
  ['an announced deposit of a silent provider', seen({ polledAt: end }), over, { live: true, simulated: false }],
  ['no deposit, and never polled', order('waiting'), over, { live: true, simulated: false }],
  ['no deposit, last polled at the end', order('waiting', { polledAt: end }), over, { live: true, simulated: false }],
  ['no deposit, polled since', order('waiting', { polledAt: sinceEnd }), over, { live: false, simulated: false }],
  ['too small a deposit, never polled', order('short'), over, { live: true, simulated: false }],
  [
    'too small a deposit, polled since',
    order('short', { polledAt: sinceEnd }),
    over,
    { live: false, simulated: false },
  ],
  ['no deposit, no longer polled', order('waiting', { dueAt: null }), over, { live: false, simulated: false }],
  ['too small a deposit, no longer polled', order('short', { dueAt: null }), over, { live: false, simulated: false }],
  ['an announced deposit, no longer polled', seen({ dueAt: null }), over, { live: false, simulated: false }],
  [
    'a counted deposit, no longer polled',
    seen({ depositedUnits: 1n, dueAt: null }),
    over,
    { live: true, simulated: true },
  ],
  ['a deposit that went back', order('returned'), over, { live: false, simulated: false }],
  ['an order that is stuck', order('stuck'), over, { live: false, simulated: false }],
  ['an order that has ended', order('dead'), over, { live: false, simulated: false }],
])('%s: the window stays open or not', (_, given, now, { live, simulated }) => {
  expect(mayStillDeliver(given, { livemode: true, expiresAt: end }, now)).toBe(live);
  expect(mayStillDeliver(given, { livemode: false, expiresAt: end }, now)).toBe(simulated);
});

test.each<[string, Record<string, unknown>, boolean]>([
  ['that was never left open', {}, true],
  ['whose time has ended', { undecidedSince: null, undecidedAt: null }, true],
  ['left open for less than a day', { undecidedSince: before(23 * HOUR_MS), undecidedAt: before(0) }, true],
  ['left open for a day', { undecidedSince: before(DAY_MS), undecidedAt: before(HOUR_MS) }, false],
  [
    'left open for a day, and then not asked about',
    { undecidedSince: before(DAY_MS), undecidedAt: before(2 * HOUR_MS) },
    true,
  ],
  ['left open for a day by an earlier version', { undecidedSince: before(DAY_MS) }, true],
])('a transfer %s holds its payment open or not', (_, evidence, holds) => {
  expect(holdsPaymentOpen({ status: 'seen', evidence }, end)).toBe(holds);
  expect(holdsPaymentOpen({ status: 'final', evidence }, end)).toBe(false);
});

function before(ms: number): string {
  return new Date(end.getTime() - ms).toISOString();
}

function order(
  state: HoldingOrder['state'],
  { depositedUnits = null, polledAt = null, dueAt = end }: Partial<HoldingOrder> = {},
): HoldingOrder {
  return { state, depositedUnits, polledAt, dueAt };
}

function seen(deposit: Partial<HoldingOrder>): HoldingOrder {
  return order('seen', deposit);
}
