import { RECEIPT_TYPE, type ReceiptClaimsJson, type ReceiptVerdictJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { verifyJws } from '../../platform/signing/jws.ts';
import { readJwks } from '../../platform/signing/signing-keys.ts';
import { findNewestReceipt } from './store.ts';

/** Whether this service signed a receipt, and whether a newer one has replaced it. */
export async function verifyReceipt(ctx: Context, receipt: string): Promise<ReceiptVerdictJson> {
  const verdict = verifyJws(receipt.trim(), RECEIPT_TYPE, await readJwks(ctx));
  if ('reason' in verdict) return { valid: false, reason: verdict.reason, claims: null, superseded_by: null };
  const claims = verdict.claims as ReceiptClaimsJson;
  const newest = await findNewestReceipt(ctx.db, claims.payment);
  return {
    valid: true,
    reason: null,
    claims,
    superseded_by: newest && newest.id !== claims.jti ? newest.id : null,
  };
}
