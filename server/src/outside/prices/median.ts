import { parseUnits } from '../../platform/money.ts';
import type { SourcePrice } from './source.ts';

const DECIMALS = 18;
/** How far from the median a price may be: 2 %. */
const OUTLIER_BPS = 200n;

/** A price that at least two sources agree on, in units of 18 decimals, with its sources. */
export interface AgreedPrice {
  units: bigint;
  sources: SourcePrice[];
}

/**
 * The median of the fresh prices without outliers. Undefined if fewer than two are left: a single source is never
 * sufficient.
 */
export function agreedPrice(prices: readonly SourcePrice[], now: Date, freshMs: number): AgreedPrice | undefined {
  const fresh = prices.filter(({ at }) => Math.abs(now.getTime() - at.getTime()) <= freshMs);
  if (fresh.length < 2) return undefined;

  const middle = medianOf(fresh);
  const near = fresh.filter(({ price }) => {
    const away = parseUnits(price, DECIMALS) - middle;
    return (away < 0n ? -away : away) * 10_000n <= middle * OUTLIER_BPS;
  });
  return near.length < 2 ? undefined : { units: medianOf(near), sources: near };
}

function medianOf(prices: readonly SourcePrice[]): bigint {
  const sorted = prices.map(({ price }) => parseUnits(price, DECIMALS)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0n;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0n)) / 2n;
}
