import type { DisplayCurrency } from './prices.ts';

/**
 * The symbols requested from a source: one whole unit of each, in USD. Each group is a separate request, so that a coin
 * that a source does not list never affects the prices needed for payments.
 */
export const PRICE_GROUPS = [
  /** Coins that merchants receive, and the euro. */
  ['ETH', 'SOL', 'USDC', 'USDT', 'EUR'],
  /** Coins that only customers pay in. Their prices are compared with the quotes of route providers. */
  ['BTC', 'BNB', 'POL', 'AVAX', 'TRX'],
] as const;
export type PricedSymbol = (typeof PRICE_GROUPS)[number][number];

/** One price as a source returned it, a plain decimal in USD. */
export interface SourcePrice {
  source: string;
  price: string;
  at: Date;
}

/** One source of market prices. It omits unknown prices, and throws if its response is unusable. */
export interface PriceSource<Priced extends string = PricedSymbol> {
  readonly name: string;
  read(now: Date, symbols: readonly Priced[]): Promise<Partial<Record<Priced, SourcePrice>>>;
}

/** Some sources also say in one answer how much of other currencies one dollar buys. */
export interface MarketSource extends PriceSource {
  perDollar?: PriceSource<DisplayCurrency>['read'];
}

const PLAIN_DECIMAL = /^[0-9]{1,12}(\.[0-9]{1,30})?$/;

/** A price as a plain decimal above zero, cut to 18 decimals; undefined for anything else. */
export function plainPrice(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !PLAIN_DECIMAL.test(text)) return undefined;
  const [whole = '0', fraction = ''] = text.split('.');
  const price = fraction ? `${whole}.${fraction.slice(0, 18)}` : whole;
  return /[1-9]/.test(price) ? price : undefined;
}

/** A member of a value that may not be an object. */
export function member(value: unknown, ...path: (string | number)[]): unknown {
  let at: unknown = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[name];
  }
  return at;
}
