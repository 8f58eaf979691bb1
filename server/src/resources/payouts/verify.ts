import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { afterFinding, type Finding, lookUp } from '../outgoing-transfers/look-up.ts';
import { takeTransfer } from '../outgoing-transfers/store.ts';
import type { StoredPayout } from './payout.ts';
import { leaseDuePayouts, lockPayoutRows, writePayout } from './store.ts';

const PAYOUTS_AT_ONCE = 20;

/** Looks sent payouts up on the chain until they are final, and ends those that were not sent in time. */
export const payoutsJob: Job = {
  name: 'payouts',
  everyMs: 2 * SECOND_MS,
  channel: 'payouts',
  async run(ctx) {
    const now = await ctx.db.now();
    const due = await leaseDuePayouts(ctx.db, { now, limit: PAYOUTS_AT_ONCE });
    // One after the other where several may be made by the same transfers.
    const alike = Map.groupBy(due, ({ network, txHash, toAddress }) => `${network} ${txHash} ${toAddress}`);
    await Promise.all([...alike.values()].map((payouts) => verifyEach(ctx, payouts, now)));
    return due.length === PAYOUTS_AT_ONCE ? 'more' : 'idle';
  },
};

async function verifyEach(ctx: Context, payouts: readonly StoredPayout[], now: Date): Promise<void> {
  for (const payout of payouts) await tryToVerify(ctx, payout, now);
}

async function tryToVerify(ctx: Context, payout: StoredPayout, now: Date): Promise<void> {
  try {
    if (payout.status === 'planned') await apply(ctx, payout, 'not_sent', now);
    else await apply(ctx, payout, await lookUp(ctx, payout, payout.createdAt), now);
  } catch (error) {
    const level = error instanceof TemporaryError ? 'warn' : 'error';
    ctx.log[level]({ err: error, payoutId: payout.id, network: payout.network }, 'payout look-up failed: retrying');
  }
}

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
