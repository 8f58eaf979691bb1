import { type AssetSymbol, isEvm, type NetworkRow, NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { NetworkConfig } from '../../config.ts';
import { tokenAddress } from './evm/tokens.ts';
import { mintOf } from './solana/solana.ts';

/** The settings that replace a public network by a test chain. */
export type ChainSettings = Pick<NetworkConfig, 'chainId' | 'genesisHash' | 'tokens'>;

/** CAIP-2: `eip155:8453`, `tron:0x2b6653dc` (a draft), or `solana:` and the first 32 characters of the genesis hash. */
export function caip2(network: ReceiveNetwork, settings: ChainSettings): string {
  if (network === 'solana') return `solana:${(settings.genesisHash ?? NETWORKS.solana.genesisHash).slice(0, 32)}`;
  const chainId = settings.chainId ?? NETWORKS[network].chainId;
  return network === 'tron' ? `tron:0x${chainId.toString(16)}` : `eip155:${chainId}`;
}

/** CAIP-19: the contract or mint of a token, the SLIP-44 number of a native coin. */
export function caip19(asset: AssetSymbol, network: ReceiveNetwork, settings: ChainSettings): string {
  return `${caip2(network, settings)}/${assetName(asset, network, settings.tokens)}`;
}

/** CAIP-10: the network and an address on it. */
export function caip10(address: string, network: ReceiveNetwork, settings: ChainSettings): string {
  return `${caip2(network, settings)}:${address}`;
}

function assetName(asset: AssetSymbol, network: ReceiveNetwork, tokens: Record<string, string>): string {
  const coin = (NETWORKS[network].assets as NetworkRow['assets'])[asset];
  if (coin?.slip44 !== undefined) return `slip44:${coin.slip44}`;
  if (network === 'tron') return `trc20:${tokens[asset] ?? coin?.address}`;
  return isEvm(network) ? `erc20:${tokenAddress(network, asset, tokens)}` : `token:${mintOf(asset, tokens)}`;
}
