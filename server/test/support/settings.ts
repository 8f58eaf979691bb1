import { RECEIVE_NETWORKS } from '@quittance/contract';

/** Settings of a service that reaches nothing outside: no network, fixed prices, no conversions, and that says nothing. */
export const QUIET: Readonly<Record<string, string>> = {
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
  ...Object.fromEntries(RECEIVE_NETWORKS.map((network) => [`RPC_${network.toUpperCase()}_URLS`, ','])),
  PRICES: 'fixed',
  ROUTES: 'none',
  // Far above what tests send; tests of the limit set their own.
  RATE_LIMIT_PER_SECOND: '100000',
};
