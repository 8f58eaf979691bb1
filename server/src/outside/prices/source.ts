/**
 * What a source is asked for: one whole unit of each, in USD. Each group is a question of its own, so that a coin that
 * a source does not list never costs the prices that payments are asked for in.
 */
export const PRICE_GROUPS = [
  /** Coins that merchants receive, and the euro. */
  ['ETH', 'SOL', 'USDC', 'USDT', 'EUR'],
  /** Coins that only customers pay in. Their prices judge what a route provider asks for. */
  ['BTC', 'BNB', 'POL', 'AVAX', 'TRX'],
] as const;
export type Priced = (typeof PRICE_GROUPS)[number][number];

/** One price as a source tells it, a plain decimal in USD. */
export interface SourcePrice {
  source: string;
  price: string;
  at: Date;
}

/** One source of market prices. What it leaves out it does not know. Throws where it does not answer as it should. */
export interface PriceSource {
  readonly name: string;
  read(now: Date, symbols: readonly Priced[]): Promise<Partial<Record<Priced, SourcePrice>>>;
}

const PLAIN_DECIMAL = /^[0-9]{1,12}(\.[0-9]{1,30})?$/;

/** A price as a plain decimal above zero, cut to 18 decimals; undefined for anything else. */
export function plainPrice(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !PLAIN_DECIMAL.test(text) || !/[1-9]/.test(text)) return undefined;
  const [whole = '0', fraction = ''] = text.split('.');
  return fraction ? `${whole}.${fraction.slice(0, 18)}` : whole;
}

/** A member of something that may not be an object at all. */
export function member(value: unknown, ...path: (string | number)[]): unknown {
  let at: unknown = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[name];
  }
  return at;
}
