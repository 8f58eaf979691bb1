import type { RouteProgress } from '../../outside/routers/router.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';

type State = RouteProgress['state'];

/** Providers still return late deposits; after this time nothing more is expected of an order. */
const AFTER_DEADLINE_MS = 1 * DAY_MS;
/** A reported delivery is on the chain by then, or it never was. */
const AFTER_DONE_MS = 1 * DAY_MS;
/** A payout has one transaction, or a few. More hashes than these are not stored. */
const MAX_PAYOUTS = 20;

/** The order with new progress. Repeated, late or missing reports of a provider undo nothing. */
export function afterProgress(
  order: StoredOrder,
  progress: RouteProgress,
  payment: Pick<Payment, 'status' | 'expiresAt' | 'livemode'>,
  now: Date,
): StoredOrder {
  const state = stateAfter(order.state, progress);
  // Reports out of order do not change the state; only their payouts count.
  const isNews = state === progress.state;
  const reportedUnits =
    isNews && 'depositedUnits' in progress ? progress.depositedUnits || order.depositedUnits : order.depositedUnits;
  const depositedUnits = state === 'waiting' ? null : state === 'short' ? (reportedUnits ?? 0n) : reportedUnits || null;
  // "Seen" alone is not a deposit, because anyone's hint makes a provider report it.
  const hadDeposit = state === 'seen' ? depositedUnits !== null : !['waiting', 'short', 'dead'].includes(state);
  const reportedAt = isNews && 'depositedAt' in progress ? progress.depositedAt : null;
  const latest = payment.livemode ? now : (reportedAt ?? now);
  const isConverted = state === 'converting' || state === 'delivering' || state === 'done';
  const next: StoredOrder = {
    ...order,
    state,
    reason: isNews && (progress.state === 'stuck' || progress.state === 'dead') ? progress.reason : order.reason,
    depositedUnits,
    depositedAt: hadDeposit ? (order.depositedAt ?? between(order.createdAt, reportedAt ?? now, latest)) : null,
    convertingAt: order.convertingAt ?? (isConverted ? latest : null),
    payoutTxHashes: payoutHashesOf(order, progress),
    polledAt: now,
    doneAt: state === 'done' ? (order.doneAt ?? now) : null,
  };
  const ended = endOf(next, now);
  return {
    ...ended,
    dueAt: order.dueAt === null || isOver(ended, payment, now) ? null : later(now, pauseMs(ended, payment, now)),
  };
}

/** The payouts that the provider has named so far. */
export function payoutHashesOf({ payoutTxHashes }: StoredOrder, progress: RouteProgress): string[] {
  if (!('payoutTxHashes' in progress)) return payoutTxHashes;
  return [...new Set([...payoutTxHashes, ...progress.payoutTxHashes])].slice(0, MAX_PAYOUTS);
}

/** The provider's instant, limited to the time between the order's creation and now, except in tests. */
function between(earliest: Date, instant: Date, latest: Date): Date {
  if (instant.getTime() < earliest.getTime()) return earliest;
  return instant.getTime() > latest.getTime() ? latest : instant;
}

/** How often an order is polled: often while something happens, rarely once the customer has left. */
export function pauseMs(order: StoredOrder, { expiresAt }: Pick<Payment, 'expiresAt'>, now: Date): number {
  const newest = Math.max(...[order.createdAt, order.hintedAt, order.depositedAt].map((at) => at?.getTime() ?? 0));
  const age = now.getTime() - newest;
  if (age < 2 * MINUTE_MS) return 2 * SECOND_MS;
  if (age < 15 * MINUTE_MS) return 5 * SECOND_MS;
  const isExpected = order.state === 'waiting' ? now < expiresAt : now < order.deadline;
  return isExpected ? 30 * SECOND_MS : 5 * MINUTE_MS;
}

/**
 * Ends an order whose time is over and whose deposit was only announced, because anyone can send a hint. It no longer
 * keeps the payment open.
 */
export function endOf(order: StoredOrder, now: Date): StoredOrder {
  const isAnnounced = order.state === 'seen' && order.depositedUnits === null;
  return isAnnounced && isTimeOver(order, now) ? { ...order, state: 'dead', reason: 'route_expired' } : order;
}

/** Whether the provider's time for this order is over. */
export function isTimeOver(order: Pick<StoredOrder, 'deadline'>, now: Date): boolean {
  return now.getTime() > endOfTime(order).getTime();
}

export function endOfTime({ deadline }: Pick<StoredOrder, 'deadline'>): Date {
  return later(deadline, AFTER_DEADLINE_MS);
}

/** Whether a reported delivery should have been on the chain long ago. */
export function isDeliveryOverdue({ state, doneAt }: Pick<StoredOrder, 'state' | 'doneAt'>, now: Date): boolean {
  return state === 'done' && doneAt !== null && now.getTime() > doneAt.getTime() + AFTER_DONE_MS;
}

/**
 * The next state. A seen deposit may disappear again, a started conversion does not go back, and an ended order can
 * only improve.
 */
export function stateAfter(known: State, progress: RouteProgress): State {
  const next = progress.state;
  if (progress.state === 'waiting' && progress.isUnknown) return known;
  if (RANK[known] === ENDED) return next === 'delivering' || next === 'done' ? next : known;
  const isBack = RANK[known] >= RANK.converting && RANK[next] < RANK[known];
  return isBack ? known : next;
}

const ENDED = 5;
const RANK: Record<State, number> = {
  waiting: 0,
  short: 1,
  seen: 1,
  converting: 2,
  delivering: 3,
  done: 4,
  returned: ENDED,
  stuck: ENDED,
  dead: ENDED,
};

function isOver(order: StoredOrder, payment: Pick<Payment, 'status'>, now: Date): boolean {
  // A named payout is looked up until the chain shows it.
  const isShown = order.state === 'done' && !['pending', 'routing', 'settling', 'expired'].includes(payment.status);
  return isShown || RANK[order.state] === ENDED || isTimeOver(order, now);
}
