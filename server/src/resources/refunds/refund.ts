import type { Currency, Locale, RefundLinkStatus, RefundStatus } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Settlement } from '../../settlement/records/settlement.ts';
import type { Outgoing } from '../outgoing-transfers/outgoing.ts';

/** Of one payment, in every status. */
export const MAX_REFUNDS = 50;

/** Money that goes back to a customer. */
export interface StoredRefund extends Outgoing {
  paymentId: string;
  status: RefundStatus;
  /** The number of its newest event. */
  sequence: number;
  amountMinor: bigint;
  currency: Currency;
  reason: string | null;
  link: RefundLink | null;
  /** When it became final, failed or cancelled. */
  endedAt: Date | null;
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
  /** When the merchant confirmed an address that no signature proves. */
  confirmedAt: Date | null;
}

export function linkStatusOf({ status, link }: Pick<StoredRefund, 'status' | 'link'>): RefundLinkStatus {
  if (link?.answeredAt) return 'answered';
  return status === 'requested' ? 'open' : 'closed';
}

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
