import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';

/** A saved destination: the only place that money of an account's payments can go to. Its address never changes. */
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
  /** When a signature showed that the address is this account's. */
  provedAt: Date | null;
  createdBy: 'key' | 'login';
  createdAt: Date;
}
