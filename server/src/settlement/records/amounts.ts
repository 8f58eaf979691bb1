import type { Asset, AssetSymbol, Currency } from '@quittance/contract';
import type { Rate, RateSource } from '../../outside/prices/prices.ts';
import { mulDivDown, mulDivUp } from '../../platform/money.ts';
import { SECOND_MS } from '../../platform/time.ts';

/** A price as it is kept beside what was computed with it: how many of `currency` one whole asset unit costs. */
export interface KeptRate {
  numerator: string;
  denominator: string;
  at: string;
  sources: RateSource[];
}

/** Our clock and the chain's may differ by this much. */
export const EARLY_TOLERANCE_MS = 60 * SECOND_MS;

type Fraction = Pick<Rate, 'numerator' | 'denominator'>;

/** The dirham is pegged to the dollar at this price of one dollar. */
const AED_PER_USD: Fraction = { numerator: 36_725n, denominator: 10_000n };
const ONE: Fraction = { numerator: 1n, denominator: 1n };

/** The price that never moves: of dollar coins in dollars and dirhams. Undefined where a market decides. */
export function peggedRate(asset: AssetSymbol, currency: Currency): Fraction | undefined {
  if (asset !== 'USDC' && asset !== 'USDT') return undefined;
  if (currency === 'USD') return ONE;
  return currency === 'AED' ? AED_PER_USD : undefined;
}

/** The smallest step in which an amount of the asset is asked for: wallets and exchanges round ether to eight decimals. */
export function granularityUnits(asset: Asset): bigint {
  return asset.decimals > 9 ? 10n ** BigInt(asset.decimals - 8) : 1n;
}

/** What a display amount is worth in base units at a price, rounded up to what can be asked for. */
export function requiredUnits(amountMinor: bigint, asset: Asset, rate: Fraction): bigint {
  const step = granularityUnits(asset);
  // amount / 100 in the currency, over the price of one whole unit, times the units in it.
  return mulDivUp(amountMinor * 10n ** BigInt(asset.decimals), rate.denominator, 100n * rate.numerator * step) * step;
}

/** What base units are worth in minor units of the currency at a price, rounded down. */
export function worthMinor(units: bigint, asset: Asset, rate: Fraction): bigint {
  return mulDivDown(units * 100n, rate.numerator, rate.denominator * 10n ** BigInt(asset.decimals));
}

/** How far below an amount still counts: the merchant's own share, else half a per cent and never more than 1.00. */
export function toleranceUnits(required: bigint, amountMinor: bigint, toleranceBps: number | null): bigint {
  if (toleranceBps !== null) return mulDivDown(required, BigInt(toleranceBps), 10_000n);
  const share = mulDivDown(required, 50n, 10_000n);
  const cap = mulDivDown(required, 100n, amountMinor);
  return share < cap ? share : cap;
}

/** Whether an amount is too small to mean anything: below one per cent of what is due, or below a cent. */
export function isDust(units: bigint, dueUnits: bigint, required: bigint, amountMinor: bigint): boolean {
  return units * 100n < dueUnits || units * amountMinor < required;
}

/** The price as it is kept. */
export function keepRate(rate: Rate): KeptRate {
  return {
    numerator: rate.numerator.toString(),
    denominator: rate.denominator.toString(),
    at: rate.at.toISOString(),
    sources: rate.sources,
  };
}

/** What a net amount is worth to the merchant, rounded down: it is a promise. */
export function outputFor(netMinor: bigint, receive: Asset, price: Pick<Rate, 'numerator' | 'denominator'>): bigint {
  return mulDivDown(netMinor * 10n ** BigInt(receive.decimals), price.denominator, 100n * price.numerator);
}
