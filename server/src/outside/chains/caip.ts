import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { NetworkConfig } from '../../config.ts';
import { CHAIN_IDS, type EvmNetwork, tokenAddress } from './evm/tokens.ts';
import { MAINNET_GENESIS, mintOf } from './solana/solana.ts';

/** The settings that replace a public network by a test chain. */
export type ChainSettings = Pick<NetworkConfig, 'chainId' | 'genesisHash' | 'tokens'>;

/** CAIP-2: `eip155:8453`, or `solana:` and the first 32 characters of the genesis hash. */
export function caip2(network: ReceiveNetwork, settings: ChainSettings): string {
  return network === 'solana'
    ? `solana:${(settings.genesisHash ?? MAINNET_GENESIS).slice(0, 32)}`
    : `eip155:${settings.chainId ?? CHAIN_IDS[network]}`;
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
  if (network === 'solana') return asset === 'SOL' ? 'slip44:501' : `token:${mintOf(asset, tokens)}`;
  const token = tokenAddress(network satisfies EvmNetwork, asset, tokens);
  return token === undefined ? `slip44:${SLIP44[asset] ?? SLIP44.ETH}` : `erc20:${token}`;
}

const SLIP44: Partial<Record<AssetSymbol, number>> = { ETH: 60, POL: 966, SOL: 501 };
