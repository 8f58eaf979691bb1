import { depositTimes, type Network } from '@quittance/contract';
import type { Rate } from '../../outside/prices/prices.ts';
import { DAY_MS, later, MINUTE_MS } from '../../platform/time.ts';

/** How long a quoted amount may be sent at its price, for market prices. */
export const MOVING_LOCK_MS = 15 * MINUTE_MS;
/** How long a dollar stablecoin counts as a dollar regardless of its market price. */
export const PEGGED_LOCK_MS = 1 * DAY_MS;

/** How long a conversion's price is locked, from the moment it was ordered. */
export function routeLockMs(isPegged: boolean): number {
  return isPegged ? PEGGED_LOCK_MS : MOVING_LOCK_MS;
}

/**
 * The deadline for deposits at a provider. It never follows a long session: that would be a free option on the price.
 */
export function routeDeadline(
  { isPegged, expiresAt }: { isPegged: boolean; expiresAt: Date },
  payNetwork: Network,
  now: Date,
): Date {
  // A provider's address must not close before even a slow deposit is mined.
  const mining = depositTimes(payNetwork).minedMinutes * MINUTE_MS;
  if (!isPegged) return later(now, MOVING_LOCK_MS + mining);
  const lockEnd = later(now, PEGGED_LOCK_MS);
  const wanted = expiresAt < lockEnd ? expiresAt : lockEnd;
  const mined = later(now, mining);
  return mined > wanted ? mined : wanted;
}

/**
 * Whether a conversion keeps its order's price: the provider had the confirmed deposit in time, or the payout's block
 * is in time.
 */
export function isRoutePriceLocked(
  order: { lockedUntil: Date; payNetwork: Network; convertingAt: Date | null },
  payoutTime: Date,
): boolean {
  // A deposit is in time if the provider has it within the usual time of confirmation after the lock.
  const end = later(order.lockedUntil, depositTimes(order.payNetwork).confirmedMinutes * MINUTE_MS);
  return payoutTime <= end || (order.convertingAt !== null && order.convertingAt <= end);
}

type Fraction = Pick<Rate, 'numerator' | 'denominator'>;

/** Whether a dollar stablecoin is outside of 0.98 to 1.02, where it counts as a dollar for any length of time. */
export function isOffPeg({ numerator, denominator }: Fraction): boolean {
  return numerator * 100n < denominator * 98n || numerator * 100n > denominator * 102n;
}
