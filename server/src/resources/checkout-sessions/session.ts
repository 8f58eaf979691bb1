import type { AssetSymbol, Currency, Network, PaymentStatus, ReceiveNetwork } from '@quittance/contract';
import type { Customer } from '../../settlement/records/customer.ts';

/** The merchant's input. It never changes after creation; its payment holds the progress. */
export interface CheckoutSession {
  id: string;
  accountId: string;
  livemode: boolean;
  paymentId: string;
  payoutWalletId: string;
  paymentLinkId: string | null;
  amountMinor: bigint;
  currency: Currency;
  orderId: string | null;
  description: string | null;
  metadata: Record<string, string>;
  customer: Customer | null;
  lineItems: LineItem[] | null;
  /** Safe List keys, in the order of the request. */
  acceptedAssets: string[];
  /** 32 bytes; shown as base58. */
  reference: Buffer;
  receiveAsset: AssetSymbol;
  receiveNetwork: ReceiveNetwork;
  /** Copied from the wallet at creation; nothing changes it. */
  receiveAddress: string;
  successUrl: string | null;
  cancelUrl: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface LineItem {
  name: string;
  quantity: number;
  /** A display amount with two decimals; negative for a discount. */
  amount: string;
  /** The unit price, which `amount` is a multiple of. Missing if the merchant sends only a total. */
  unit_amount?: string;
}

/** The progress of its payment. */
export interface SessionProgress {
  status: PaymentStatus;
  /** When the customer started to pay or money first counted. Until then the session shows no payment. */
  startedAt: Date | null;
  /** Deposit addresses of the routes the customer chose, the newest of each asset. */
  routedTargets: RoutedTarget[];
}

export interface RoutedTarget {
  asset: AssetSymbol;
  network: Network;
  address: string;
}

/** A session whose payment was not started. */
export const NOT_STARTED: SessionProgress = { status: 'created', startedAt: null, routedTargets: [] };
