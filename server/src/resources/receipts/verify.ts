import { RECEIPT_TYPE, type ReceiptClaimsJson, type ReceiptVerdictJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { kidOf, verifyJws } from '../../platform/signing/jws.ts';
import { readJwksOf } from '../../platform/signing/signing-keys.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPaymentById } from '../../settlement/records/payment-store.ts';
import { receiptFor } from './receipt-for.ts';
import { findNewestReceipt } from './store.ts';

/** Whether this service signed a receipt, and whether the receipt still matches its payment. */
export async function verifyReceipt(ctx: Context, receipt: string): Promise<ReceiptVerdictJson> {
  const kid = kidOf(receipt.trim());
  const key = kid === undefined ? undefined : await readJwksOf(ctx, kid);
  const verdict = verifyJws(receipt.trim(), RECEIPT_TYPE, key?.jwks ?? { keys: [] });
  if ('reason' in verdict) return invalid(verdict.reason);
  const claims = verdict.claims as ReceiptClaimsJson;
  const payment = await findPaymentById(ctx.db, claims.payment);
  if (key?.owner.livemode !== claims.livemode || (payment && key.owner.id !== payment.accountId))
    return invalid('The key that signed it is that of another account or mode.');
  const current = await isCurrent(ctx, payment, claims);
  const newest = await findNewestReceipt(ctx.db, claims.payment);
  return {
    valid: true,
    reason: null,
    claims,
    current,
    superseded_by: newest && newest.id !== claims.jti ? newest.id : null,
  };
}

function invalid(reason: string): ReceiptVerdictJson {
  return { valid: false, reason, claims: null, current: false, superseded_by: null };
}

/** Issues a newer receipt if the facts have changed, so that the answer can name it. */
async function isCurrent(ctx: Context, payment: Payment | undefined, { jti }: ReceiptClaimsJson): Promise<boolean> {
  if (!payment) return false;
  return (await receiptFor(ctx, payment))?.id === jti;
}
