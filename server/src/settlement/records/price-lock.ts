import type { Network } from '@quittance/contract';
import type { Rate } from '../../outside/prices/prices.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../platform/time.ts';

/** How long an amount may be sent at the price it was asked for, where a market decides the price. */
export const MOVING_LOCK_MS = 15 * MINUTE_MS;
/** How long a dollar coin counts as a dollar whatever the market says. */
export const PEGGED_LOCK_MS = 1 * DAY_MS;

/** How long a deposit usually takes to be confirmed: it was sent in time where the provider has it this much later. */
const CONFIRMATION_MS: Partial<Record<Network, number>> = { bitcoin: 1 * HOUR_MS, ethereum: 15 * MINUTE_MS };
const CONFIRMATION_ELSEWHERE_MS = 5 * MINUTE_MS;

/** A deposit is mined by then, however slow. A provider's address must not close before. */
const MINING_MS: Partial<Record<Network, number>> = { bitcoin: 3 * HOUR_MS, ethereum: 45 * MINUTE_MS };
const MINING_ELSEWHERE_MS = 30 * MINUTE_MS;

/** How long a conversion's price holds, from the moment it was ordered. */
export function routeLockMs(isPegged: boolean): number {
  return isPegged ? PEGGED_LOCK_MS : MOVING_LOCK_MS;
}

/** Until when a provider is asked to take deposits. It never follows a long session: that would be a free option on the price. */
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

/** Whether a conversion has the price it was ordered at: the provider had the confirmed deposit in time, or the payout has a block in time. */
export function isRoutePriceLocked(
  order: { lockedUntil: Date; payNetwork: Network; convertingAt: Date | null },
  payoutTime: Date,
): boolean {
  const confirmation = CONFIRMATION_MS[order.payNetwork] ?? CONFIRMATION_ELSEWHERE_MS;
  const end = later(order.lockedUntil, confirmation);
  return payoutTime <= end || (order.convertingAt !== null && order.convertingAt <= end);
}

type Fraction = Pick<Rate, 'numerator' | 'denominator'>;

/** Whether a dollar coin has left the range in which it counts as a dollar for any length of time: 0.98 to 1.02. */
export function isOffPeg({ numerator, denominator }: Fraction): boolean {
  return numerator * 100n < denominator * 98n || numerator * 100n > denominator * 102n;
}
