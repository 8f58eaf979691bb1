import type { AssetSymbol, Currency } from '@quittance/contract';

/** A price as an exact fraction with its evidence: how many of `currency` one whole unit of `asset` costs. */
export interface Rate {
  asset: AssetSymbol;
  currency: Currency;
  /** `numerator / denominator` currency units (not cents) for one whole asset unit. */
  numerator: bigint;
  denominator: bigint;
  at: Date;
  /** `[{source: 'coinbase', price: '3512.40', at: '…'}]`, or `[{source: 'par'}]` if the rate is one to one by rule. */
  sources: RateSource[];
}

export interface RateSource {
  source: string;
  price?: string;
  at?: string;
}

/** Currencies in which pages estimate a price. Nothing is ever charged by these rates. */
export const DISPLAY_CURRENCIES = [
  ...['USD', 'EUR', 'AED', 'GBP', 'CHF', 'JPY', 'CAD', 'AUD', 'NZD', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'TRY'],
  ...['RUB', 'UAH', 'GEL', 'ILS', 'SAR', 'KWD', 'BHD', 'INR', 'PKR', 'BDT', 'LKR', 'CNY', 'HKD', 'TWD', 'KRW', 'SGD'],
  ...['MYR', 'THB', 'IDR', 'PHP', 'VND', 'BRL', 'MXN', 'CLP', 'ARS', 'ZAR', 'NGN'],
] as const;
export type DisplayCurrency = (typeof DISPLAY_CURRENCIES)[number];

/** The source of prices. Throws `TemporaryError` if fewer than two fresh sources agree: it never guesses. */
export interface Prices {
  rate(asset: AssetSymbol, currency: Currency): Promise<Rate>;
  /** The market price of a dollar stablecoin in dollars. Rejects if fewer than two sources agree. */
  marketRate(coin: 'USDC' | 'USDT'): Promise<Rate>;
  /** The fixed table's rate, for test mode and indicative quotes in development. */
  fixedRate(asset: AssetSymbol, currency: Currency): Rate;
  /**
   * How much of a currency one dollar buys, in units of 18 decimals, for a page to show; null while it is not known. It
   * is no `Rate`, so no amount can be computed from it. Waits a second at most, and only for a first answer.
   */
  perDollar(currency: DisplayCurrency): Promise<bigint | null>;
  /** The same from the fixed table, for test mode. */
  fixedPerDollar(currency: DisplayCurrency): bigint | null;
  close(): Promise<void>;
}
