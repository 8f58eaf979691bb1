import { type AssetSymbol, NETWORKS, type ReceiveNetwork } from '@quittance/contract';

/** The default name of a wallet: `USDC on Base`. */
export function defaultLabel(asset: AssetSymbol, network: ReceiveNetwork): string {
  return `${asset} on ${NETWORKS[network].name}`;
}
