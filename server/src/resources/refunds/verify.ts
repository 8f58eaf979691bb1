import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findPaymentById, lockPayments } from '../../settlement/records/payment-store.ts';
import { afterFinding, type Finding, lookUp } from '../outgoing-transfers/look-up.ts';
import { takeTransfer } from '../outgoing-transfers/store.ts';
import { closeLink } from './answer-link.ts';
import type { StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';
import { findRefund, leaseDueRefunds } from './store.ts';

const REFUNDS_AT_ONCE = 20;

/** Looks sent refunds up on the chain until they are final, and closes links that were not answered in time. */
export const refundsJob: Job = {
  name: 'refunds',
  everyMs: 2 * SECOND_MS,
  channel: 'refunds',
  async run(ctx) {
    const now = await ctx.db.now();
    const due = await leaseDueRefunds(ctx.db, { now, limit: REFUNDS_AT_ONCE });
    await Promise.all(due.map((refund) => tryToVerify(ctx, refund, now)));
    return due.length === REFUNDS_AT_ONCE ? 'more' : 'idle';
  },
};

async function tryToVerify(ctx: Context, refund: StoredRefund, now: Date): Promise<void> {
  try {
    if (refund.status === 'requested') return await closeLink(ctx, refund, now);
    const payment = await findPaymentById(ctx.db, refund.paymentId);
    if (payment) await applyFinding(ctx, refund, await lookUp(ctx, refund, payment.createdAt), now);
  } catch (error) {
    const level = error instanceof TemporaryError ? 'warn' : 'error';
    ctx.log[level]({ err: error, refundId: refund.id, network: refund.network }, 'refund look-up failed: retrying');
  }
}

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
