import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import { getAddress } from 'viem';

export type EvmNetwork = Exclude<ReceiveNetwork, 'solana'>;

export const CHAIN_IDS: Record<EvmNetwork, number> = { ethereum: 1, base: 8453, polygon: 137, arbitrum: 42161 };
/** Networks that customers can pay on through a route only. */
export const UNWATCHED_CHAIN_IDS = { bnb: 56, avalanche: 43114 };

// The issuers' own contracts. Bridged namesakes (USDC.e, USDbC) are different coins and are excluded.
const TOKENS: Record<EvmNetwork, Partial<Record<AssetSymbol, string>>> = {
  ethereum: {
    USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  base: { USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  polygon: { USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
  arbitrum: { USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' },
};

/** The networks whose native coin is a receive asset. */
export const NATIVE_ASSET: Partial<Record<EvmNetwork, AssetSymbol>> = { ethereum: 'ETH' };

/** The contract of a token on a network, or of a test chain if the settings have one; undefined for native coins. */
export function tokenAddress(
  network: EvmNetwork,
  asset: AssetSymbol,
  overrides: Record<string, string> = {},
): string | undefined {
  if (asset === NATIVE_ASSET[network]) return undefined;
  const address = overrides[asset] ?? TOKENS[network][asset];
  return address && getAddress(address);
}

/** All watched token contracts of a network: lowercase address → asset. */
export function watchedTokens(network: EvmNetwork, overrides: Record<string, string> = {}): Map<string, AssetSymbol> {
  return new Map(
    (Object.keys(TOKENS[network]) as AssetSymbol[]).map((asset) => [
      (tokenAddress(network, asset, overrides) as string).toLowerCase(),
      asset,
    ]),
  );
}
