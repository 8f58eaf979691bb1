import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { DAY_MS, later, SECOND_MS } from '../../platform/time.ts';
import { lockPayments } from '../records/payment-store.ts';
import { lockTransfer, saveAttributions } from '../records/transfer-store.ts';
import { assignToPayment } from './assign-transfer.ts';
import { attribute } from './attribute.ts';
import { findNewlyReferenced, type NewlyReferenced } from './candidate-store.ts';
import { findCandidates } from './candidates.ts';

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

/** A transfer that found its payment. */
export interface Reclaimed {
  transferId: string;
  paymentId: string;
  blockTime: Date;
}

/**
 * Attributes live transfers without a payment whose reference has a session by now. Only the debited account can have written
 * a reference, so it is proof however old the transfer is; an exact amount is not. Returns the transfers that found their payment.
 */
export async function reclaimReferenced(
  ctx: Context,
  { from, limit }: { from: Date; limit: number },
): Promise<Reclaimed[]> {
  const { referenced, isLimited } = await findNewlyReferenced(ctx.db, from, limit);
  if (isLimited) ctx.log.warn({ limit, from }, 'reclaim limited: older transfers with references were not looked at');
  const reclaimed: Reclaimed[] = [];
  for (const one of referenced) {
    const taken = await reclaimOrSkip(ctx, one);
    if (taken) reclaimed.push(taken);
  }
  return reclaimed;
}

/** One transfer that fails must not stop the others. It is tried again in the next turn. */
async function reclaimOrSkip(ctx: Context, one: NewlyReferenced): Promise<Reclaimed | undefined> {
  const now = await ctx.db.now();
  try {
    return await reclaimOne(ctx, one, now);
  } catch (error) {
    // A database outage or a serialization conflict is not the transfer's fault.
    if (isUnavailable(error)) throw error;
    ctx.log.warn({ err: error, transferId: one.id }, 'transfer not reclaimed: its attribution failed');
    return undefined;
  }
}

function reclaimOne(ctx: Context, { id, paymentIds }: NewlyReferenced, now: Date): Promise<Reclaimed | undefined> {
  return ctx.db.transaction(async (db) => {
    // Payments are locked before transfers, here as everywhere.
    await lockPayments(db, paymentIds);
    const transfer = await lockTransfer(db, id);
    if (!transfer || transfer.paymentId !== null || transfer.queued || transfer.status === 'dropped') return undefined;
    // A person decided meanwhile.
    if (transfer.handledAt || transfer.releasedAt) return undefined;
    const attribution = attribute(transfer, await findCandidates(ctx, db, transfer));
    if (attribution.type === 'left') {
      // What its session does not accept is looked at in each turn of a week.
      const isStored = attribution.reason === transfer.reason && attribution.nearPaymentId === transfer.nearPaymentId;
      if (!isStored) await saveAttributions(db, [{ transferId: id, attribution }]);
      return undefined;
    }
    const { paymentId } = attribution;
    // A session that was created since is not locked. The next turn finds it.
    if (attribution.by !== 'reference' || !paymentIds.includes(paymentId)) return undefined;
    const at = { created: now, recorded: now };
    await assignToPayment({ ctx, db, at }, transfer, { paymentId, by: 'reference' });
    const blockTime = transfer.block.time;
    db.afterCommit(() => {
      ctx.db.notify('transfers');
      ctx.log.info({ transferId: id, paymentId, blockTime }, 'transfer attributed: its session exists now');
    });
    return { transferId: id, paymentId, blockTime };
  });
}
