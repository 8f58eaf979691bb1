import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findPaymentById, lockPayments } from '../../settlement/records/payment-store.ts';
import { lookAtDue } from '../outgoing-transfers/look-at-due.ts';
import { afterFinding, type Finding } from '../outgoing-transfers/look-up.ts';
import { takeTransfer } from '../outgoing-transfers/store.ts';
import { closeLink } from './answer-link.ts';
import type { StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';
import { findRefund, leaseDueRefunds } from './store.ts';

/** Looks sent refunds up on the chain until they are final, and closes links that were not answered in time. */
export const refundsJob: Job = {
  name: 'refunds',
  everyMs: 2 * SECOND_MS,
  channel: 'refunds',
  run: (ctx) =>
    lookAtDue(ctx, {
      lease: (turn) => leaseDueRefunds(ctx.db, turn),
      end: (refund, now) => closeLink(ctx, refund, now),
      notBefore: async ({ paymentId }) => (await findPaymentById(ctx.db, paymentId))?.createdAt,
      apply: (refund, finding, now) => applyFinding(ctx, refund, finding, now),
    }),
};

async function applyFinding(ctx: Context, seen: StoredRefund, finding: Finding, now: Date): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const payment = (await lockPayments(db, [seen.paymentId])).get(seen.paymentId);
    const refund = await findRefund(db, { id: seen.accountId, livemode: seen.livemode }, seen.id);
    // The merchant may have named another transaction meanwhile.
    if (!payment || refund?.status !== 'sent' || refund.txHash !== seen.txHash) return;
    const after = afterFinding(refund, finding, now);
    // Something else may have used this transfer meanwhile. The next look says so.
    if (!after || (finding.type === 'moved' && !(await takeTransfer(db, after, finding.transferIndex)))) return;
    await saveRefund({ ctx, db, at: { created: now, recorded: now } }, payment, { before: refund, after });
    ctx.log.info({ refundId: refund.id, paymentId: payment.id, finding: finding.type }, 'refund looked up');
  });
}
