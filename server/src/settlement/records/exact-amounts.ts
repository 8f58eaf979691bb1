import { createHash } from 'node:crypto';
import type { Asset } from '@quittance/contract';
import { mulDivUp } from '../../platform/money.ts';
import { granularityUnits } from './amounts.ts';

/** Amounts above a price that may be reserved, by index. Indexes from `size` on are invalid. */
export interface AmountTier {
  size: bigint;
  amountAt(index: bigint): bigint;
}

/** An exact amount that is or was reserved: by an open payment (`until` is null), or until an instant. */
export interface ReservedAmount {
  amountUnits: bigint;
  takenAt: Date;
  until: Date | null;
}

/** An amount whose last two digits are zero is never reserved: wallets and exchanges that round send such amounts. */
const ROUND_STEPS = 100n;
/**
 * A fine amount is less than half a step above a round one, so that rounding leads to an amount that is never reserved.
 */
const FINE_PER_STEP = 10_000n;
const FINE_PER_ROUND = FINE_PER_STEP / 2n - 1n;
/** Surcharge limit of most checkouts. */
export const USUAL_CENTS = 5n;
/** Surcharge limit for checkouts beyond that: this much, and at most one percent. */
export const WIDEST_CENTS = 30n;
/** How many amounts of a tier one attempt checks. A tier is full if all of them are in use. */
const MAX_CANDIDATES = 256n;

export function isRound(amount: bigint, asset: Asset): boolean {
  return amount % (ROUND_STEPS * granularityUnits(asset)) === 0n;
}

/** The smallest amount from `required` on that is never reserved: the price of a payment without an amount suffix. */
export function plainAmount(required: bigint, asset: Asset): bigint {
  const round = ROUND_STEPS * granularityUnits(asset);
  return ((required + round - 1n) / round) * round;
}

/** How many steps above `required` cost less than `cents`. */
export function suffixSteps(required: bigint, amountMinor: bigint, asset: Asset, cents: bigint): bigint {
  return (mulDivUp(required, cents, amountMinor) - 1n) / granularityUnits(asset);
}

/** Below how many cents the suffix of an exact amount of this price is worth, in order of use. */
export function centsOf(amountMinor: bigint): bigint[] {
  const widest = amountMinor / 100n < WIDEST_CENTS ? amountMinor / 100n : WIDEST_CENTS;
  return [1n, USUAL_CENTS, ...(widest > USUAL_CENTS ? [widest] : [])];
}

/**
 * The amounts that a checkout of this price may reserve, in order of use: below one cent, below five, then below thirty
 * cents or one percent. A coin with more decimals than wallets show also has fine amounts beside its round ones.
 */
export function tiersOf(required: bigint, amountMinor: bigint, asset: Asset): AmountTier[] {
  return centsOf(amountMinor).flatMap((maxCents) =>
    tiersWithin(required, suffixSteps(required, amountMinor, asset, maxCents), asset, maxCents > 1n),
  );
}

/** The whole steps above an amount and, with `withFine`, the fine amounts in the same range, if any. */
export function tiersWithin(above: bigint, steps: bigint, asset: Asset, withFine: boolean): AmountTier[] {
  const step = granularityUnits(asset);
  const whole: AmountTier = {
    size: steps,
    amountAt: (index) => {
      const amount = above + (index + 1n) * step;
      if (!isRound(amount, asset)) return amount;
      return index + 1n < steps ? amount + step : amount - step;
    },
  };
  const round = ROUND_STEPS * step;
  const first = plainAmount(above, asset);
  const last = above + (steps - 1n) * step;
  const tiers = steps > 0n ? [whole] : [];
  if (!withFine || asset.payersRound || step < FINE_PER_STEP || first > last) return tiers;
  const fine: AmountTier = {
    size: ((last - first) / round + 1n) * FINE_PER_ROUND,
    amountAt: (index) =>
      first + (index / FINE_PER_ROUND) * round + ((index % FINE_PER_ROUND) + 1n) * (step / FINE_PER_STEP),
  };
  return [...tiers, fine];
}

/** Some amounts of a tier, spread evenly from a random start; all of them if there are few. */
export function candidatesOf({ size, amountAt }: AmountTier, above: bigint, asset: Asset, random: number): bigint[] {
  const count = size < MAX_CANDIDATES ? size : MAX_CANDIDATES;
  const start = BigInt(Math.floor(random * Number(size)));
  const amounts = Array.from({ length: Number(count) }, (_, at) =>
    amountAt((start + (BigInt(at) * size) / count) % size),
  );
  return [...new Set(amounts)].filter((amount) => amount > above && !isRound(amount, asset));
}

/** Where in the range of amounts a payment begins to look for a free one, from 0 to 1: the same for the same reference. */
export function preferredShare(reference: Uint8Array): number {
  return createHash('sha256').update('exact amount ').update(reference).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** The exact amount that a payment is given if no other one holds it. */
export function preferredAmount(
  reference: Uint8Array,
  required: bigint,
  amountMinor: bigint,
  asset: Asset,
): bigint | undefined {
  const [tier] = tiersOf(required, amountMinor, asset);
  return tier && candidatesOf(tier, required, asset, preferredShare(reference))[0];
}

/** The first candidate that was never reserved, or the least recently used one. Undefined if all are in use. */
export function pickAmount(
  candidates: readonly bigint[],
  taken: readonly ReservedAmount[],
  now: Date,
): bigint | undefined {
  const known = new Map(taken.map((one) => [one.amountUnits, one]));
  const fresh = candidates.find((amount) => !known.has(amount));
  if (fresh !== undefined) return fresh;
  return candidates
    .flatMap((amount) => known.get(amount) ?? [])
    .filter((one) => one.until !== null && one.until.getTime() <= now.getTime())
    .reduce<ReservedAmount | undefined>(
      (oldest, one) => (!oldest || one.takenAt < oldest.takenAt ? one : oldest),
      undefined,
    )?.amountUnits;
}
