import { type AssetSymbol, NETWORKS, type ReceiveNetwork } from '@quittance/contract';

/** The name of a wallet that was given none: `USDC on Base`. */
export function defaultLabel(asset: AssetSymbol, network: ReceiveNetwork): string {
  return `${asset} on ${NETWORKS[network].name}`;
}
