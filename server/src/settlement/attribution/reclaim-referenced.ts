import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { DAY_MS, later, SECOND_MS } from '../../platform/time.ts';
import { lockPayments } from '../records/payment-store.ts';
import { findTransfer, lockTransfer, saveAttributions } from '../records/transfer-store.ts';
import { assignToPayment } from './assign-transfer.ts';
import { attribute } from './attribute.ts';
import { findCandidates } from './candidates.ts';
import { findNewlyReferenced } from './reclaim-store.ts';

/** A session is created again soon after a restore. What is older is for `quittance-server restore-check`. */
const LOOK_BACK_MS = 7 * DAY_MS;
/** Anyone can send dust with made-up references; only the newest transfers are looked at. */
const MAX_LOOKED_AT = 1_000;

/** Money may carry the reference of a session that a restore has lost, and that is created again after it. */
export const reclaimJob: Job = {
  name: 'reclaim',
  everyMs: 30 * SECOND_MS,
  async run(ctx) {
    const now = await ctx.db.now();
    await reclaimReferenced(ctx, { from: later(now, -LOOK_BACK_MS), limit: MAX_LOOKED_AT });
    return 'idle';
  },
};

/**
 * Attributes live transfers without a payment whose reference has a session by now. Only the debited account can have written
 * a reference, so it is proof however old the transfer is; an exact amount is not. Returns how many found their payment.
 */
export async function reclaimReferenced(ctx: Context, { from, limit }: { from: Date; limit: number }): Promise<number> {
  let taken = 0;
  for (const { id, paymentId } of await findNewlyReferenced(ctx.db, from, limit)) {
    const now = await ctx.db.now();
    taken += Number(await reclaimOne(ctx, id, paymentId, now));
  }
  return taken;
}

function reclaimOne(ctx: Context, id: string, near: string, now: Date): Promise<boolean> {
  return ctx.db.transaction(async (db) => {
    // Payments are locked before transfers, here as everywhere.
    await lockPayments(db, [near]);
    await lockTransfer(db, id);
    const transfer = await findTransfer(db, id);
    if (!transfer || transfer.paymentId !== null || transfer.queued || transfer.status === 'dropped') return false;
    const attribution = attribute(transfer, await findCandidates(ctx, db, transfer));
    if (attribution.type === 'left') {
      await saveAttributions(db, [{ transferId: id, attribution }]);
      return false;
    }
    if (attribution.by !== 'reference') return false;
    await assignToPayment(ctx, db, transfer, attribution.paymentId, 'reference', { created: now, recorded: now });
    db.afterCommit(() => ctx.db.notify('transfers'));
    ctx.log.info({ transferId: id, paymentId: attribution.paymentId }, 'transfer attributed: its session exists now');
    return true;
  });
}
