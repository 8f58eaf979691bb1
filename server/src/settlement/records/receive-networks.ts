/** `RECEIVE_NETWORKS` for `in (…)` and `array[…]`: a literal, so that planners use indexes on (livemode, network, address). */
export const RECEIVE_NETWORKS_SQL = `'ethereum', 'base', 'polygon', 'arbitrum', 'solana'`;
