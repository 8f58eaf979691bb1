import { DAY_MS, MINUTE_MS } from '../../platform/time.ts';
import type { Payment } from '../records/payment.ts';
import type { StoredOrder } from '../records/route-order-store.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';

/** For how long providers may leave a transfer open before its payment closes without it. */
export const MAX_UNDECIDED_MS = 1 * DAY_MS;

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
  const since = evidence.undecidedSince;
  return typeof since !== 'string' || now.getTime() - new Date(since).getTime() < MAX_UNDECIDED_MS;
}

/** Whether an order may still bring money to a payment whose window is over, which then stays open. */
export function mayStillDeliver(
  { state, depositedUnits, polledAt }: Pick<StoredOrder, 'state' | 'depositedUnits' | 'polledAt'>,
  { livemode, expiresAt }: Pick<Payment, 'livemode' | 'expiresAt'>,
  now: Date,
): boolean {
  switch (state) {
    case 'converting':
    case 'delivering':
    case 'done':
      return true;
    case 'seen':
      // A seen deposit is money in transit. One that was only announced is waited for a while.
      if (depositedUnits !== null || now.getTime() < expiresAt.getTime() + ANNOUNCED_HOLD_MS) return true;
      return livemode && !isPolledSince(polledAt, expiresAt);
    case 'waiting':
    case 'short':
      return livemode && !isPolledSince(polledAt, expiresAt);
    default:
      return false;
  }
}

/** A provider that was not polled since the end may have a deposit too. */
function isPolledSince(polledAt: Date | null, end: Date): boolean {
  return polledAt !== null && polledAt.getTime() > end.getTime();
}
