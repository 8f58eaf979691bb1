import { RECEIPT_TYPE, type ReceiptClaimsJson, type ReceiptVerdictJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { sha256Source } from '../../platform/http/page.ts';
import { kidOf, verifyJws } from '../../platform/signing/jws.ts';
import { readJwksOf } from '../../platform/signing/signing-keys.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPaymentById } from '../../settlement/records/payment-store.ts';
import { receiptFor } from './receipt-for.ts';
import { findNewestReceipt } from './store.ts';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

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

/** One file without external resources, so that a saved copy verifies receipts offline. */
export function registerVerifyPage(server: FastifyInstance): void {
  const html = readFileSync(new URL('./verify-receipt.html', import.meta.url), 'utf8').replaceAll('\r\n', '\n');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  server.get('/verify-receipt', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
      .send(html),
  );
}

/** The policy allows exactly the one script and the one style of the page. */
function hashOf(html: string, tag: string): string {
  return sha256Source(html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.indexOf(`</${tag}>`)));
}
