import type { AssetSymbol, Currency, ReceiveNetwork } from '@quittance/contract';

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
