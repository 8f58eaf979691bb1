import type { AssetSymbol, Currency, ReceiveNetwork } from '@quittance/contract';
import type { Order } from '../../settlement/records/order.ts';

/** A checkout to share: each opening creates its own session. */
export interface PaymentLink extends Order {
  id: string;
  accountId: string;
  livemode: boolean;
  payoutWalletId: string;
  amountMinor: bigint;
  currency: Currency;
  description: string;
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
