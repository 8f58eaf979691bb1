import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import type { Payment } from '../records/payment.ts';
import type { StoredOrder } from '../records/route-order-store.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';

/** For how long providers may leave a transfer open before its payment closes without it. */
export const MAX_UNDECIDED_MS = 1 * DAY_MS;
/**
 * For how long a look at such a transfer counts. Looks are at most an hour apart while the service runs, and a time
 * without looks is an outage of the service, which closes nothing.
 */
export const LOOK_COUNTS_MS = 2 * HOUR_MS;

/**
 * How long past its end a window waits for a deposit that a provider has only announced. Longer ones are still
 * converted, late.
 */
export const ANNOUNCED_HOLD_MS = 10 * MINUTE_MS;

/**
 * Whether a payment's window stays open for a transfer. A transfer that is not final does, but not forever: a single
 * provider could invent one that the others cannot deny. It stays listed, is still verified, and pays if it stands.
 */
export function holdsPaymentOpen(
  { status, evidence }: Pick<StoredTransfer, 'status' | 'evidence'>,
  now: Date,
): boolean {
  if (status !== 'seen') return false;
  const { undecidedSince: since } = evidence;
  if (typeof since !== 'string' || now.getTime() - new Date(since).getTime() < MAX_UNDECIDED_MS) return true;
  return !isLookRecent(evidence, now);
}

/** Whether providers left a transfer open a short while ago. */
export function isLookRecent({ undecidedAt }: StoredTransfer['evidence'], now: Date): boolean {
  return typeof undecidedAt === 'string' && now.getTime() - new Date(undecidedAt).getTime() < LOOK_COUNTS_MS;
}

/** What decides whether an order holds a payment open. */
export type HoldingOrder = Pick<StoredOrder, 'state' | 'depositedUnits' | 'polledAt' | 'dueAt'>;

/** Whether an order may still bring money to a payment whose window is over, which then stays open. */
export function mayStillDeliver(
  order: HoldingOrder,
  { livemode, expiresAt }: Pick<Payment, 'livemode' | 'expiresAt'>,
  now: Date,
): boolean {
  switch (order.state) {
    case 'converting':
    case 'delivering':
    case 'done':
      return true;
    case 'seen':
      // A seen deposit is money in transit. One that was only announced is waited for a while.
      if (order.depositedUnits !== null || now.getTime() < expiresAt.getTime() + ANNOUNCED_HOLD_MS) return true;
      return livemode && isToBePolled(order, expiresAt);
    case 'waiting':
    case 'short':
      return livemode && isToBePolled(order, expiresAt);
    default:
      return false;
  }
}

/**
 * A provider that was not polled since the end may have a deposit too, unless the order is over: that is a day after its
 * deadline, and a session may last for weeks.
 */
function isToBePolled({ polledAt, dueAt }: HoldingOrder, end: Date): boolean {
  if (dueAt === null) return false;
  return polledAt === null || polledAt.getTime() <= end.getTime();
}
