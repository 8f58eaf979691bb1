import type { Context } from '../../context.ts';
import { isSameVersion } from '../../outside/chains/pure/version.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { lockPayments } from '../records/payment-store.ts';
import { type Reported, storeTransfers } from '../records/seen-transfer-store.ts';
import { lockTransfer, releaseTransfers, setTransferStatus, type StoredTransfer } from '../records/transfer-store.ts';
import type { AgreedVerdict } from './single-provider.ts';

/**
 * A transfer as the quorum reports it. What one of two providers says while the other one fails is never stored as that:
 * in another block, or at another time, the transfer would leave the payment that both had seen it for.
 */
function byQuorum(livemode: boolean, { transfer, providers }: AgreedVerdict): Reported {
  return { livemode, transfers: [transfer], reporter: { providers, isConfirmed: true } };
}

/**
 * Stores a transfer in the block that the quorum names. Every provider that agrees has confirmed its references, also one
 * that cannot trace them, or hides them from what it shows itself. What one shows beside them is a contest.
 */
export async function storeMoved(
  db: Transaction,
  transfer: StoredTransfer,
  verdict: AgreedVerdict,
  at: Date,
): Promise<void> {
  const { livemode } = transfer;
  const { block, carried } = verdict.transfer;
  const moved = { ...transfer, block };
  await storeTransfers(db, byQuorum(livemode, { ...verdict, transfer: moved }), at);
  const added = carried.filter((one) => !transfer.carried.some((known) => Buffer.compare(known, one) === 0));
  if (added.length === 0) return;
  const shown = { ...moved, carried: [...transfer.carried, ...added] };
  const reporter = { providers: verdict.providers.slice(0, 1), isConfirmed: false };
  await storeTransfers(db, { livemode, transfers: [shown], reporter }, at);
}

/**
 * Replaces a stored version by the one that the quorum decided for, and queues it: another amount, time or reference may
 * belong to another payment. What a merchant assigned by hand stays assigned as long as the money is the same.
 */
export async function correctTransfer(ctx: Context, seen: StoredTransfer, verdict: AgreedVerdict): Promise<void> {
  const now = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    if (seen.paymentId) await lockPayments(db, [seen.paymentId]);
    const held = await lockTransfer(db, seen.id);
    // The next turn looks at what it has become meanwhile.
    if (held?.status !== 'seen' || held.queued || held.paymentId !== seen.paymentId || !isSameVersion(held, seen))
      return;
    // Who proved to be another sender did not send it.
    if (held.attributedBy === 'sender' && held.from !== verdict.transfer.from)
      await releaseTransfers(db, [held.id], 'no_match');
    await setTransferStatus(db, held, { status: 'dropped', evidence: { correctedAt: now } }, now);
    if (seen.contested) await storeTransfers(db, byQuorum(held.livemode, verdict), now);
    else await storeMoved(db, seen, verdict, now);
  });
  ctx.db.notify('transfers', seen.network);
}
