import type { Network } from '@quittance/contract';
import type { Rate } from '../../outside/prices/prices.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../platform/time.ts';

/** How long a quoted amount may be sent at its price, for market prices. */
export const MOVING_LOCK_MS = 15 * MINUTE_MS;
/** How long a dollar stablecoin counts as a dollar regardless of its market price. */
export const PEGGED_LOCK_MS = 1 * DAY_MS;

/** Usual confirmation time of a deposit. A deposit is in time if the provider has it this much after the lock. */
const CONFIRMATION_MS: Partial<Record<Network, number>> = { bitcoin: 1 * HOUR_MS, ethereum: 15 * MINUTE_MS };
const CONFIRMATION_ELSEWHERE_MS = 5 * MINUTE_MS;

/** Time until even a slow deposit is mined. A provider's address must not close earlier. */
const MINING_MS: Partial<Record<Network, number>> = { bitcoin: 3 * HOUR_MS, ethereum: 45 * MINUTE_MS };
const MINING_ELSEWHERE_MS = 30 * MINUTE_MS;

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
  const mining = MINING_MS[payNetwork] ?? MINING_ELSEWHERE_MS;
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
  const confirmation = CONFIRMATION_MS[order.payNetwork] ?? CONFIRMATION_ELSEWHERE_MS;
  const end = later(order.lockedUntil, confirmation);
  return payoutTime <= end || (order.convertingAt !== null && order.convertingAt <= end);
}

type Fraction = Pick<Rate, 'numerator' | 'denominator'>;

/** Whether a dollar stablecoin is outside of 0.98 to 1.02, where it counts as a dollar for any length of time. */
export function isOffPeg({ numerator, denominator }: Fraction): boolean {
  return numerator * 100n < denominator * 98n || numerator * 100n > denominator * 102n;
}
