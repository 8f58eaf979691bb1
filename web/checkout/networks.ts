import { BLOCK_SECONDS, NETWORKS, type ChainFamily, type Network } from '@quittance/contract/assets';

/** The network's display name. */
export function networkName(slug: string): string {
  return NETWORKS[slug as Network]?.name ?? slug;
}

export function familyOf(slug: string): ChainFamily {
  return NETWORKS[slug as Network]?.family ?? 'evm';
}

/** The network's names at exchanges, for withdrawals. */
export function exchangeNames(slug: string): string {
  return EXCHANGE_NAMES[slug] ?? networkName(slug);
}

/** The transaction's page in a block explorer. A link only: nothing is ever loaded from there. */
export function explorerLink(slug: string, hash: string): string | null {
  const base = EXPLORERS[slug];
  return base ? base + hash : null;
}

/** The usual duration of a confirmation; undefined if a network's finality works differently. */
export function secondsPerConfirmation(slug: string): number | undefined {
  return BLOCK_SECONDS[slug as Network];
}

const EXCHANGE_NAMES: Record<string, string> = {
  ethereum: 'ERC20, ETH',
  base: 'Base Mainnet',
  polygon: 'POLYGON, MATIC',
  arbitrum: 'ARBITRUM ONE, ARB',
  solana: 'SOL, SPL',
  bitcoin: 'BTC',
  bnb: 'BEP20, BSC',
  avalanche: 'AVAX C-Chain',
  tron: 'TRC20, TRX',
};

const EXPLORERS: Record<string, string> = {
  ethereum: 'https://etherscan.io/tx/',
  base: 'https://basescan.org/tx/',
  polygon: 'https://polygonscan.com/tx/',
  arbitrum: 'https://arbiscan.io/tx/',
  solana: 'https://solscan.io/tx/',
  bitcoin: 'https://mempool.space/tx/',
  bnb: 'https://bscscan.com/tx/',
  avalanche: 'https://snowtrace.io/tx/',
  tron: 'https://tronscan.org/#/transaction/',
};
