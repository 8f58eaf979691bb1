import { settlePayment, settleTransfer } from '../outcome/settle.ts';
import { lockPayments } from '../records/payment-store.ts';
import type { Settlement } from '../records/settlement.ts';
import { attribute } from './attribute.ts';
import { findCandidates } from './candidates.ts';
import { reserveRemainders } from './attribute-transfer.ts';
import {
  findUnclaimed,
  isUnsure,
  lockTransfer,
  reopenTransfer,
  saveAttributions,
  type StoredTransfer,
  type Unclaimed,
} from '../records/transfer-store.ts';

/** A transaction can contain any number of transfers. */
const MAX_AT_ONCE = 50;

/** Attributes what the signer of a claim paid in its transaction again, as far as no payment has it. */
export async function attributeClaimed(settlement: Settlement, claimed: Unclaimed): Promise<void> {
  const { ctx, db } = settlement;
  for (const transfer of await findUnclaimed(db, claimed, MAX_AT_ONCE)) {
    const attribution = attribute(transfer, await findCandidates(ctx, db, transfer));
    if (attribution.type !== 'taken' || attribution.by !== 'claim') continue;
    await assignToPayment(settlement, transfer, { paymentId: attribution.paymentId, by: 'claim' });
  }
}

/** The payment that a transfer is assigned to, and what proves or decides it. */
export interface Assignment {
  paymentId: string;
  by: 'claim' | 'hand' | 'reference' | 'route';
  targetId?: string | null;
  /** That the transfer is final by itself, if it was verified for this. */
  verified?: Record<string, unknown> | null;
}

/** Assigns an unattributed transfer to a payment and re-evaluates the payment. Returns false if it has changed meanwhile. */
export async function assignToPayment(
  settlement: Settlement,
  transfer: StoredTransfer,
  { paymentId, by, targetId = null, verified }: Assignment,
): Promise<boolean> {
  const { ctx, db, at } = settlement;
  const payment = (await lockPayments(db, [paymentId])).get(paymentId);
  const held = await lockTransfer(db, transfer.id);
  if (!payment || !held || !isUnclaimed(held)) return false;
  // A person has moved the payment to another network meanwhile.
  if (payment.receiveNetwork !== held.network) return false;
  // Once the merchant has handled or released the transfer, only a person may assign it.
  if ((held.handledAt || held.releasedAt) && by !== 'hand') return false;

  await saveAttributions(db, [{ transferId: held.id, attribution: { type: 'taken', paymentId, targetId, by } }]);
  // The transfer itself is not verified yet, or a reorganization took it away since. Verification settles it.
  if (held.livemode && isUnsure(held)) {
    await reopenTransfer(db, held.id);
    if (verified) await settleTransfer(settlement, { ...held, paymentId, attributedBy: by }, verified);
  } else if (held.status === 'final')
    await settlePayment(
      settlement,
      payment,
      { ...held, paymentId, attributedBy: by },
      { ...held.evidence, rule: by, transfer: held.id },
    );
  await reserveRemainders(ctx, db, [paymentId], at.created);
  return true;
}

function isUnclaimed(transfer: StoredTransfer): boolean {
  return transfer.paymentId === null && transfer.status !== 'dropped';
}
