import {
  type Asset,
  type AssetSymbol,
  type Currency,
  findAsset,
  isStablecoin,
  type Network,
} from '@quittance/contract';
import type { Rate, RateSource } from '../../outside/prices/prices.ts';
import { invariant } from '../../platform/errors.ts';
import { mulDivDown, mulDivUp } from '../../platform/money.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { Payment } from './payment.ts';

/** A price as stored beside the amounts computed with it: how many of `currency` one whole asset unit costs. */
export interface StoredRate {
  numerator: string;
  denominator: string;
  at: string;
  sources: RateSource[];
}

/** Tolerated difference between the server's clock and the chain's. */
export const EARLY_TOLERANCE_MS = 60 * SECOND_MS;

type Fraction = Pick<Rate, 'numerator' | 'denominator'>;

/** The price of one dollar in dirhams, by the dirham's peg. */
const AED_PER_USD: Fraction = { numerator: 36_725n, denominator: 10_000n };
const ONE: Fraction = { numerator: 1n, denominator: 1n };

/** The fixed price of dollar stablecoins in dollars and dirhams. Undefined for pairs with a market price. */
export function peggedRate(asset: AssetSymbol, currency: Currency): Fraction | undefined {
  if (!isStablecoin(asset)) return undefined;
  if (currency === 'USD') return ONE;
  return currency === 'AED' ? AED_PER_USD : undefined;
}

/** The smallest step for amounts of the asset: wallets and exchanges round ether to eight decimals, and some to cents. */
export function granularityUnits(asset: Asset): bigint {
  if (asset.payersRound) return 10n ** BigInt(asset.decimals - 2);
  return asset.decimals > 9 ? 10n ** BigInt(asset.decimals - 8) : 1n;
}

/** Base units of a coin on one network as base units of the same coin on another, rounded down. */
export function unitsOn(network: Network, units: bigint, coin: AssetSymbol, from: Network): bigint {
  const [there, here] = [findAsset(coin, network), findAsset(coin, from)];
  invariant(there && here, `${coin} is on the Safe List of ${network} and ${from}`);
  return (units * 10n ** BigInt(there.decimals)) / 10n ** BigInt(here.decimals);
}

/** A display amount in base units at a price, rounded up to the asset's step. */
export function requiredUnits(amountMinor: bigint, asset: Asset, rate: Fraction): bigint {
  const step = granularityUnits(asset);
  // The amount (minor / 100) divided by the price of one whole unit, times the base units in it.
  return mulDivUp(amountMinor * 10n ** BigInt(asset.decimals), rate.denominator, 100n * rate.numerator * step) * step;
}

/** The full amount of a payment, in the asset that the merchant receives; null while no price is fixed. */
export function expectedUnits(
  payment: Pick<Payment, 'expectedOutputUnits' | 'receiveAsset' | 'receiveNetwork' | 'amountMinor' | 'currency'>,
): bigint | null {
  const { expectedOutputUnits: expected, receiveAsset, receiveNetwork, amountMinor, currency } = payment;
  if (expected !== null) return expected;
  const asset = findAsset(receiveAsset, receiveNetwork);
  const rate = peggedRate(receiveAsset, currency);
  return asset && rate ? requiredUnits(amountMinor, asset, rate) : null;
}

/** Tolerated shortfall: the merchant's share, or by default half a percent up to 1.00. */
export function toleranceUnits(required: bigint, amountMinor: bigint, toleranceBps: number | null): bigint {
  if (toleranceBps !== null) return mulDivDown(required, BigInt(toleranceBps), 10_000n);
  const share = mulDivDown(required, 50n, 10_000n);
  const cap = mulDivDown(required, 100n, amountMinor);
  return share < cap ? share : cap;
}

/** Whether an amount is dust: below one percent of the amount due, or below a cent. */
export function isDust(units: bigint, dueUnits: bigint, required: bigint, amountMinor: bigint): boolean {
  return units * 100n < dueUnits || units * amountMinor < required;
}

export function toStoredRate(rate: Rate): StoredRate {
  return {
    numerator: rate.numerator.toString(),
    denominator: rate.denominator.toString(),
    at: rate.at.toISOString(),
    sources: rate.sources,
  };
}

/** The payout of a net amount, rounded down because the merchant is promised it. */
export function outputFor(netMinor: bigint, receive: Asset, price: Pick<Rate, 'numerator' | 'denominator'>): bigint {
  return mulDivDown(netMinor * 10n ** BigInt(receive.decimals), price.denominator, 100n * price.numerator);
}

/** Decimals of which one is worth about a cent. The others are tokens of a currency. */
const DUST_DECIMALS: Record<string, number> = { ETH: 6, SOL: 5 };
const CENT_DECIMALS = 2;

/** A cent of a coin in base units, or roughly that of a volatile one. A transfer of less is dust. */
export function centUnits({ asset, network }: { asset: string; network: string }): bigint {
  const decimals = findAsset(asset, network)?.decimals ?? 0;
  return 10n ** BigInt(Math.max(0, decimals - (DUST_DECIMALS[asset] ?? CENT_DECIMALS)));
}
