import type { PayoutStatus } from '@quittance/contract';
import type { PayoutJson } from '@quittance/contract/dashboard';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { type Outgoing, presentMismatch } from '../outgoing-transfers/outgoing.ts';

/** Of one account and mode: those that are planned, or that are sent and not verified. */
export const MAX_OPEN_PAYOUTS = 2_000;
export const MAX_IMPORTS_PER_MINUTE = 20;
/** One that was not sent by then is cancelled. */
export const PLANNED_DAYS = 30;

/** Money that the merchant sends to someone. No code here can send it. */
export interface StoredPayout extends Outgoing {
  status: PayoutStatus;
  toAddress: string;
  note: string | null;
  importName: string;
  line: number;
}

/** What a line of a CSV says. */
export type PayoutLine = Pick<StoredPayout, 'amountUnits' | 'network' | 'toAddress' | 'note' | 'line' | 'asset'>;

export function presentPayout(payout: StoredPayout): PayoutJson {
  const { asset, network } = payout;
  return {
    id: payout.id,
    livemode: payout.livemode,
    status: payout.status,
    to: payout.toAddress,
    asset,
    network,
    amount: presentUnits(payout.amountUnits, asset, network),
    note: payout.note,
    tx_hash: payout.txHash,
    other_tx_hashes: payout.otherHashes,
    verified: payout.verified,
    mismatch: presentMismatch(payout),
    failure_reason: payout.failureReason,
    created_at: payout.createdAt.toISOString(),
  };
}
