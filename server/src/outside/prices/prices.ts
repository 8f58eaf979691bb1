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

/** The source of prices. Throws `TemporaryError` if fewer than two fresh sources agree: it never guesses. */
export interface Prices {
  rate(asset: AssetSymbol, currency: Currency): Promise<Rate>;
  /** The market price of a dollar stablecoin in dollars. Rejects if fewer than two sources agree. */
  marketRate(coin: 'USDC' | 'USDT'): Promise<Rate>;
  /** The fixed table's rate, for test mode and indicative quotes in development. */
  fixedRate(asset: AssetSymbol, currency: Currency): Rate;
  close(): Promise<void>;
}
