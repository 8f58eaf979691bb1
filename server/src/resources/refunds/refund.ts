import type {
  AssetSymbol,
  Currency,
  Locale,
  ReceiveNetwork,
  RefundFailure,
  RefundLinkStatus,
  RefundStatus,
} from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Settlement } from '../../settlement/records/settlement.ts';

/** Of one payment, in every status. */
export const MAX_REFUNDS = 50;

/** Money that goes back to a customer. */
export interface StoredRefund {
  id: string;
  accountId: string;
  livemode: boolean;
  paymentId: string;
  status: RefundStatus;
  /** The number of its newest event. */
  sequence: number;
  amountMinor: bigint;
  currency: Currency;
  amountUnits: bigint;
  asset: AssetSymbol;
  network: ReceiveNetwork;
  toAddress: string | null;
  reason: string | null;
  txHash: string | null;
  /** The transfer of the transaction that was verified. */
  transferIndex: number | null;
  verified: boolean;
  mismatch: Mismatch | null;
  failureReason: RefundFailure | null;
  sentAt: Date | null;
  /** When the chain is asked next, or when the link expires. */
  dueAt: Date | null;
  /** How often it was asked about this transaction. */
  looks: number;
  createdAt: Date;
  link: RefundLink | null;
  wallet: WalletHold | null;
}

/** The wallet that was asked for a refund last. What it has been asked for it may send at any time after. */
export interface WalletHold {
  /** The browser that asked it, by a name that it has made up. */
  holder: string;
  address: string;
  /** Until when other browsers leave the refund to it. */
  until: Date;
}

/** The question to the customer where a refund goes, and the answer. */
export interface RefundLink {
  /** SHA-256 of its token. */
  hash: Buffer;
  expiresAt: Date;
  /** Where its mails go; null if the link was not mailed, and once the refund has ended. */
  email: string | null;
  locale: Locale;
  /** The only answer. */
  address: string | null;
  /** Whether the wallet that paid signed for it. */
  proved: boolean;
  answeredAt: Date | null;
}

export function linkStatusOf({ status, link }: Pick<StoredRefund, 'status' | 'link'>): RefundLinkStatus {
  if (link?.answeredAt) return 'answered';
  return status === 'requested' ? 'open' : 'closed';
}

/** What a transaction moves to the recipient instead; nulls if it moves nothing there. */
export type Mismatch = { asset: AssetSymbol; amountUnits: bigint; to: string } | { asset: null };

/** Whether its amount counts against what arrived: it may yet happen, or has happened. */
export function isClaiming({ status }: Pick<StoredRefund, 'status'>): boolean {
  return status !== 'failed' && status !== 'cancelled';
}

/** Whether no one has said yet that it left the merchant's wallet. */
export function isUnsent({ status }: Pick<StoredRefund, 'status'>): boolean {
  return status === 'requested' || status === 'planned';
}

/** A transaction that changes a refund, and may mail the customer about it. */
export type RefundSettlement = Settlement & { ctx: Pick<Context, 'mail' | 'secrets'> };
