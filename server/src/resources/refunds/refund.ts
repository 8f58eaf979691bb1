import type { AssetSymbol, Currency, ReceiveNetwork, RefundFailure, RefundStatus } from '@quittance/contract';

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
  /** When the chain is asked next. */
  dueAt: Date | null;
  /** How often it was asked about this transaction. */
  looks: number;
  createdAt: Date;
}

/** What a transaction moves to the recipient instead; nulls if it moves nothing there. */
export type Mismatch = { asset: AssetSymbol; amountUnits: bigint; to: string } | { asset: null };

/** Whether its amount counts against what arrived: it may yet happen, or has happened. */
export function isClaiming({ status }: Pick<StoredRefund, 'status'>): boolean {
  return status !== 'failed' && status !== 'cancelled';
}
