import { isStablecoin, RECEIVE_NETWORKS, RECEIVE_SYMBOLS, STABLECOINS } from '@quittance/contract';

// Lists of the contract for `in (…)` and `array[…]`: literals, so that planners use small and composed indexes.

/** The networks that a payout wallet can be on. */
export const RECEIVE_NETWORKS_SQL = listOf(RECEIVE_NETWORKS);
/** The dollar coins that a payout wallet can receive. */
export const STABLECOINS_SQL = listOf(STABLECOINS);
/** The other assets that a payout wallet can receive. */
export const VOLATILE_ASSETS_SQL = listOf(RECEIVE_SYMBOLS.filter((symbol) => !isStablecoin(symbol)));

function listOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
