import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import { CHAIN_IDS, type EvmNetwork, tokenAddress } from './evm/tokens.ts';
import { MAINNET_GENESIS, mintOf } from './solana/solana.ts';

/** A network and an asset in the identifiers of machine payment protocols. */
export type MachineAsset =
  | { family: 'evm'; caip2: string; chainId: number; token: string }
  | {
      family: 'solana';
      caip2: string;
      cluster: 'mainnet' | 'devnet' | 'localnet';
      /** The mint, or null for SOL. */
      mint: string | null;
    };

export interface NetworkSettings {
  chainId: number | null;
  genesisHash: string | null;
  tokens: Record<string, string>;
}

const CAIP2_LENGTH = 32;
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

/**
 * A signature for a test session must never be valid on a live network, so test mode uses the issuers' test networks.
 */
const TEST_CHAIN_IDS: Record<EvmNetwork, number> = {
  ethereum: 11_155_111,
  base: 84_532,
  polygon: 80_002,
  arbitrum: 421_614,
};
const TEST_USDC: Record<ReceiveNetwork, string> = {
  ethereum: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
  base: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  polygon: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
  arbitrum: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
  solana: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};
/** The signing domain of Circle's test coins. */
export const TEST_DOMAIN = { name: 'USDC', version: '2' };

/** The protocols' identifiers of a receive asset; undefined if they have none, as for ETH. */
export function machineAsset(
  network: ReceiveNetwork,
  asset: AssetSymbol,
  livemode: boolean,
  settings: NetworkSettings,
): MachineAsset | undefined {
  if (network === 'solana') return solanaAsset(asset, livemode, settings);
  if (!livemode && asset !== 'USDC') return undefined;
  const token = livemode ? tokenAddress(network, asset, settings.tokens) : TEST_USDC[network];
  if (!token) return undefined;
  const chainId = livemode ? (settings.chainId ?? CHAIN_IDS[network]) : TEST_CHAIN_IDS[network];
  return { family: 'evm', caip2: `eip155:${chainId}`, chainId, token };
}

function solanaAsset(asset: AssetSymbol, livemode: boolean, settings: NetworkSettings): MachineAsset {
  const mint = asset === 'SOL' ? null : livemode ? mintOf(asset, settings.tokens) : TEST_USDC.solana;
  if (!livemode) return { family: 'solana', caip2: `solana:${DEVNET}`, cluster: 'devnet', mint };
  const genesis = (settings.genesisHash ?? MAINNET_GENESIS).slice(0, CAIP2_LENGTH);
  return {
    family: 'solana',
    caip2: `solana:${genesis}`,
    cluster: settings.genesisHash === null ? 'mainnet' : genesis === DEVNET ? 'devnet' : 'localnet',
    mint,
  };
}
