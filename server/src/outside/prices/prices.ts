import type { AssetSymbol, Currency } from '@quittance/contract';

/** A price as an exact fraction with its evidence: how many of `currency` one whole unit of `asset` costs. */
export interface Rate {
  asset: AssetSymbol;
  currency: Currency;
  /** `numerator / denominator` currency units (not cents) for one whole asset unit. */
  numerator: bigint;
  denominator: bigint;
  at: Date;
  /** `[{source: 'coinbase', price: '3512.40', at: '…'}]`, or `[{source: 'par'}]` where one to one is the rule. */
  sources: RateSource[];
}

export interface RateSource {
  source: string;
  price?: string;
  at?: string;
}

/** Where prices come from. Throws `TemporaryError` where fewer than two fresh sources agree: closed, never a guess. */
export interface Prices {
  rate(asset: AssetSymbol, currency: Currency): Promise<Rate>;
  /** What a dollar coin trades at in dollars, whatever it counts as. Rejects where fewer than two sources agree. */
  marketRate(coin: 'USDC' | 'USDT'): Promise<Rate>;
  /** The fixed table's rate: test mode, and indicative quotes in development. */
  fixedRate(asset: AssetSymbol, currency: Currency): Rate;
  close(): Promise<void>;
}
