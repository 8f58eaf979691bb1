import { type AssetSymbol, type ProofStatus, type ReceiveNetwork, NETWORKS } from '@quittance/contract';

/** A saved address: the only place that money of an account's payments can go to. Its address never changes. */
export interface PayoutWallet {
  id: string;
  accountId: string;
  livemode: boolean;
  asset: AssetSymbol;
  network: ReceiveNetwork;
  address: string;
  label: string | null;
  isDefault: boolean;
  archivedAt: Date | null;
  /** Whether this account has proved the address, and whether it must. */
  proof: ProofStatus;
  /** Code was found at the address when it was saved, or no provider could be asked. */
  needsProof: boolean;
  /** When its address is looked up, because no provider answered when it was saved; null if it was. */
  lookUpAt: Date | null;
  /** Why no session can settle to it: money sent to the address is lost. */
  unfit: string | null;
  /** A live key added it, and the owner has not confirmed it: nothing settles to it. */
  unconfirmed: boolean;
  createdBy: 'key' | 'login';
  createdAt: Date;
}

/** The default name of a wallet: `USDC on Base`. */
export function defaultLabel(asset: AssetSymbol, network: ReceiveNetwork): string {
  return `${asset} on ${NETWORKS[network].name}`;
}
