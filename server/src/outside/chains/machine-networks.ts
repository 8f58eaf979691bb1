import { type AssetSymbol, findAsset, NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { tokenAddress } from './evm/tokens.ts';
import { mintOf } from './solana/solana.ts';

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

/** The signing domain of Circle's test coins. */
export const TEST_DOMAIN = { name: 'USDC', version: '2' };

/**
 * The protocols' identifiers of a receive asset; undefined if they have none, as for ETH. A signature for a test session
 * must never be valid on a live network, so test mode uses the issuers' test networks.
 */
export function machineAsset(
  network: ReceiveNetwork,
  asset: AssetSymbol,
  livemode: boolean,
  settings: NetworkSettings,
): MachineAsset | undefined {
  // The protocols' transfers carry no memo.
  if (network === 'tron' || findAsset(asset, network)?.takesMemo) return undefined;
  if (network === 'solana') return solanaAsset(asset, livemode, settings);
  const { chainId: liveChainId, testChainId } = NETWORKS[network];
  const token = livemode ? tokenAddress(network, asset, settings.tokens) : findAsset(asset, network)?.testAddress;
  if (!token) return undefined;
  const chainId = livemode ? (settings.chainId ?? liveChainId) : testChainId;
  return { family: 'evm', caip2: `eip155:${chainId}`, chainId, token };
}

function solanaAsset(asset: AssetSymbol, livemode: boolean, settings: NetworkSettings): MachineAsset | undefined {
  const { genesisHash, testGenesisHash } = NETWORKS.solana;
  const testMint = findAsset(asset, 'solana')?.testAddress ?? undefined;
  const mint = asset === 'SOL' ? null : livemode ? mintOf(asset, settings.tokens) : testMint;
  if (mint === undefined) return undefined;
  const devnet = testGenesisHash.slice(0, CAIP2_LENGTH);
  if (!livemode) return { family: 'solana', caip2: `solana:${devnet}`, cluster: 'devnet', mint };
  const genesis = (settings.genesisHash ?? genesisHash).slice(0, CAIP2_LENGTH);
  return {
    family: 'solana',
    caip2: `solana:${genesis}`,
    cluster: settings.genesisHash === null ? 'mainnet' : genesis === devnet ? 'devnet' : 'localnet',
    mint,
  };
}
