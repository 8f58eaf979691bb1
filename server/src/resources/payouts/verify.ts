import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { lookAtDue } from '../outgoing-transfers/look-at-due.ts';
import { afterFinding, type Finding } from '../outgoing-transfers/look-up.ts';
import { takeTransfer } from '../outgoing-transfers/store.ts';
import type { StoredPayout } from './payout.ts';
import { leaseDuePayouts, lockPayoutRows, writePayout } from './store.ts';

/** Looks sent payouts up on the chain until they are final, and ends those that were not sent in time. */
export const payoutsJob: Job = {
  name: 'payouts',
  everyMs: 2 * SECOND_MS,
  channel: 'payouts',
  run: (ctx) =>
    lookAtDue(ctx, {
      lease: (turn) => leaseDuePayouts(ctx.db, turn),
      end: (payout, now) => apply(ctx, payout, 'not_sent', now),
      notBefore: async ({ createdAt }) => createdAt,
      apply: (payout, finding, now) => apply(ctx, payout, finding, now),
    }),
};

async function apply(ctx: Context, seen: StoredPayout, finding: Finding | 'not_sent', now: Date): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const [payout] = await lockPayoutRows(db, { id: seen.accountId, livemode: seen.livemode }, [seen.id]);
    // The merchant may have sent it, or named another transaction, meanwhile.
    if (payout?.status !== seen.status || payout.txHash !== seen.txHash) return;
    const after: StoredPayout | undefined =
      finding === 'not_sent' ? { ...payout, status: 'cancelled', dueAt: null } : afterFinding(payout, finding, now);
    if (!after) return;
    const index = after.transferIndex;
    // Something else may have used this transfer meanwhile. The next look says so.
    if (index !== null && !(await takeTransfer(db, after, index))) return;
    await writePayout(db, after);
    ctx.log.info({ payoutId: payout.id, status: after.status }, 'payout looked up');
  });
}
