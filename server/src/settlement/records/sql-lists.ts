import { isStablecoin, KNOWN_ASSETS, RECEIVE_NETWORKS, RECEIVE_SYMBOLS, STABLECOINS } from '@quittance/contract';
import { centUnits } from './amounts.ts';
import { QUOTES } from './customer.ts';

// Lists of the contract for `in (…)` and `array[…]`: literals, so that planners use small and composed indexes.

/** The networks that a payout wallet can be on. */
export const RECEIVE_NETWORKS_SQL = listOf(RECEIVE_NETWORKS);
/** The dollar coins that a payout wallet can receive. */
export const STABLECOINS_SQL = listOf(STABLECOINS);
/** The other assets that a payout wallet can receive. */
export const VOLATILE_ASSETS_SQL = listOf(RECEIVE_SYMBOLS.filter((symbol) => !isStablecoin(symbol)));
/** A cent of each coin in base units: `(asset, network, units)`, for `values`. */
export const CENTS_SQL = KNOWN_ASSETS.map(
  ({ asset, network }) => `('${asset}', '${network}', ${centUnits({ asset, network })}::numeric)`,
).join(', ');
/** What `translate` replaces, and with what, to fold quotation marks as `foldQuotes` does. */
export const QUOTES_SQL = `'${QUOTES.written}', '${QUOTES.typed.replaceAll("'", "''")}'`;

function listOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
