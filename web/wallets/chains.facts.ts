import { NETWORK_SLUGS, NETWORKS, type NetworkRow } from '@quittance/contract/networks';

/** What a wallet needs to add a network that it does not know (EIP-3085), by chain id. */
export const CHAINS: Record<number, { name: string; coin: string; rpc: string; explorer: string }> = Object.fromEntries(
  NETWORK_SLUGS.flatMap((slug) => chainOf(NETWORKS[slug])),
);

function chainOf(row: NetworkRow) {
  if (row.family !== 'evm') return [];
  return [[row.chainId, { ...row.wallet, coin: row.native, explorer: new URL(row.explorer).origin }]];
}
