import { RECEIPT_TYPE, type ReceiptClaimsJson, type ReceiptVerdictJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { verifyJws } from '../../platform/signing/jws.ts';
import { readJwks } from '../../platform/signing/signing-keys.ts';
import { findPaymentById } from '../../settlement/records/payment-store.ts';
import { receiptFor } from './receipt-for.ts';
import { findNewestReceipt } from './store.ts';

/** Whether this service signed a receipt, and whether the receipt still matches its payment. */
export async function verifyReceipt(ctx: Context, receipt: string): Promise<ReceiptVerdictJson> {
  const verdict = verifyJws(receipt.trim(), RECEIPT_TYPE, await readJwks(ctx));
  if ('reason' in verdict)
    return { valid: false, reason: verdict.reason, claims: null, current: false, superseded_by: null };
  const claims = verdict.claims as ReceiptClaimsJson;
  const current = await isCurrent(ctx, claims);
  const newest = await findNewestReceipt(ctx.db, claims.payment);
  return {
    valid: true,
    reason: null,
    claims,
    current,
    superseded_by: newest && newest.id !== claims.jti ? newest.id : null,
  };
}

/** Issues a newer receipt if the facts have changed, so that the answer can name it. */
async function isCurrent(ctx: Context, { payment: id, jti }: ReceiptClaimsJson): Promise<boolean> {
  const payment = await findPaymentById(ctx.db, id);
  if (!payment) return false;
  return (await receiptFor(ctx, payment))?.id === jti;
}
