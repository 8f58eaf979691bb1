import type { Asset } from '@quittance/contract';
import type { Prices, Rate } from '../../outside/prices/prices.ts';

export interface Conversion {
  pay: Asset;
  receive: Asset;
  inputUnits: bigint;
  outputUnits: bigint;
}

/** The dollar price of one whole coin of each side. */
export interface ConversionPrices {
  pay: Pick<Rate, 'numerator' | 'denominator'>;
  receive: Pick<Rate, 'numerator' | 'denominator'>;
}

export interface PremiumLimits {
  warnAbovePercent: number;
  refuseAbovePercent: number;
}

/** Far above every limit. Keeps the column and the arithmetic small. */
const MAX_PREMIUM_BPS = 1_000_000n;

/** The prices that routes are compared with: market prices in live mode, the fixed table in test mode. */
export async function conversionPrices(
  prices: Pick<Prices, 'rate' | 'fixedRate'>,
  livemode: boolean,
  pay: Asset,
  receive: Asset,
): Promise<ConversionPrices> {
  const priceOf = ({ asset }: Asset) => (livemode ? prices.rate(asset, 'USD') : prices.fixedRate(asset, 'USD'));
  const [payPrice, receivePrice] = await Promise.all([priceOf(pay), priceOf(receive)]);
  return { pay: payPrice, receive: receivePrice };
}

/**
 * By how much a route's input is worth more than its output, in basis points of the output, rounded up. Negative if it
 * is worth less; 0 below a cent, where rounding to base units dominates.
 */
export function premiumBps({ pay, receive, inputUnits, outputUnits }: Conversion, prices: ConversionPrices): number {
  const worthIn = inputUnits * prices.pay.numerator * prices.receive.denominator * 10n ** BigInt(receive.decimals);
  const worthOut = outputUnits * prices.receive.numerator * prices.pay.denominator * 10n ** BigInt(pay.decimals);
  if (worthOut === 0n) return Number(MAX_PREMIUM_BPS);
  const cent =
    (prices.pay.denominator * prices.receive.denominator * 10n ** BigInt(pay.decimals + receive.decimals)) / 100n;
  if (worthIn > worthOut && worthIn - worthOut < cent) return 0;
  const difference = (worthIn - worthOut) * 10_000n;
  const bps = difference > 0n ? (difference + worthOut - 1n) / worthOut : difference / worthOut;
  return Number(bps > MAX_PREMIUM_BPS ? MAX_PREMIUM_BPS : bps);
}

export function isPremiumTooHigh(bps: number, { refuseAbovePercent }: PremiumLimits): boolean {
  return bps > refuseAbovePercent * 100;
}

/** The premium in percent if it requires a warning to the customer; null otherwise. */
export function priceWarning(bps: number | null, { warnAbovePercent }: PremiumLimits): number | null {
  return bps !== null && bps > warnAbovePercent * 100 ? Math.round(bps / 10) / 10 : null;
}
