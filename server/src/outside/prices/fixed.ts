import { type AssetSymbol, type Currency, EURO_COIN, isStablecoin } from '@quittance/contract';
import { invariant, TemporaryError } from '../../platform/errors.ts';
import { parseUnits } from '../../platform/money.ts';
import type { DisplayCurrency, Prices, Rate } from './prices.ts';

export interface FixedTable {
  /** One whole unit in USD, as a plain decimal: `{ETH: '2500', EUR: '1.08'}`. */
  fixed: Record<string, string>;
  sources: unknown;
}

const DECIMALS = 18;
const ONE = 10n ** BigInt(DECIMALS);
// The dirham has been pegged to the dollar at this rate since 1997.
const AED_PER_USD = '3.6725';

/** The fixed table of the settings. Used in test mode, and with `PRICES=fixed` in live mode as well. */
export function createFixedPrices(table: FixedTable): Prices {
  const worthInUsd = (symbol: string): [numerator: bigint, denominator: bigint] => {
    if (symbol === 'USD' || symbol === 'USDC' || symbol === 'USDT') return [ONE, ONE];
    if (symbol === 'AED') return [ONE, parseUnits(AED_PER_USD, DECIMALS)];
    const price = table.fixed[symbol === EURO_COIN ? 'EUR' : symbol];
    invariant(price, `PRICES_FIXED has a price of ${symbol}`);
    return [parseUnits(price, DECIMALS), ONE];
  };

  function fixedRate(asset: AssetSymbol, currency: Currency): Rate {
    const [assetUp, assetDown] = worthInUsd(asset);
    const [currencyUp, currencyDown] = worthInUsd(currency);
    const numerator = assetUp * currencyDown;
    const denominator = assetDown * currencyUp;
    return {
      asset,
      currency,
      numerator,
      denominator,
      at: new Date(),
      sources: [isPar(asset, currency) ? { source: 'par' } : { source: 'fixed' }],
    };
  }

  function fixedPerDollar(currency: DisplayCurrency): bigint | null {
    if (currency !== 'USD' && currency !== 'AED' && table.fixed[currency] === undefined) return null;
    const [up, down] = worthInUsd(currency);
    return (ONE * down) / up;
  }

  return {
    fixedRate,
    fixedPerDollar,
    perDollar: async (currency) => fixedPerDollar(currency),
    async rate(asset, currency) {
      if (table.sources === 'fixed' || isPar(asset, currency)) return fixedRate(asset, currency);
      throw new TemporaryError(`no price source has a price for ${asset} in ${currency}`);
    },
    marketRate: async (coin) => fixedRate(coin, 'USD'),
    async close() {},
  };
}

/** Fixed at one to one, without a price source. */
function isPar(asset: AssetSymbol, currency: Currency): boolean {
  return (isStablecoin(asset) && currency === 'USD') || (asset === EURO_COIN && currency === 'EUR');
}
