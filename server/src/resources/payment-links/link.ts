import type { AssetSymbol, Currency, ReceiveNetwork } from '@quittance/contract';
import type { Customer } from '../../settlement/records/customer.ts';

/** A checkout to share: each opening creates its own session. */
export interface PaymentLink {
  id: string;
  accountId: string;
  livemode: boolean;
  payoutWalletId: string;
  amountMinor: bigint;
  currency: Currency;
  description: string;
  orderId: string | null;
  metadata: Record<string, string>;
  /** The customer of its sessions. */
  customer: Customer | null;
  successUrl: string | null;
  cancelUrl: string | null;
  status: LinkStatus;
  /** How many of its payments were paid. */
  payments: number;
  receiveAsset: AssetSymbol;
  receiveNetwork: ReceiveNetwork;
  createdAt: Date;
}

export type LinkStatus = 'active' | 'disabled';
