import { type AssetSymbol, findAsset, type Network, PAY_ASSETS, RECEIVE_ASSETS } from '@quittance/contract';
import { getAddress } from 'viem';
import type { EvmReadNetwork } from './evm.ts';

/** The contract of a token on a network, or of a test chain if the settings have one; undefined for native coins. */
export function tokenAddress(
  network: Network,
  asset: AssetSymbol,
  overrides: Record<string, string> = {},
): string | undefined {
  const issued = findAsset(asset, network)?.address;
  return issued ? getAddress(overrides[asset] ?? issued) : undefined;
}

/** All watched token contracts of a network: lowercase address → asset. */
export function watchedTokens(
  network: EvmReadNetwork,
  overrides: Record<string, string> = {},
): Map<string, AssetSymbol> {
  return new Map(
    PAY_ASSETS.filter((entry) => entry.network === network && entry.address !== null).map(({ asset }) => [
      (tokenAddress(network, asset, overrides) as string).toLowerCase(),
      asset,
    ]),
  );
}

/** The native coin of a network, if it is a receive asset. */
export function receivableCoin(network: EvmReadNetwork): AssetSymbol | null {
  return RECEIVE_ASSETS.find((entry) => entry.network === network && entry.address === null)?.asset ?? null;
}
