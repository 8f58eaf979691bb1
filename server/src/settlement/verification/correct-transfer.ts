import type { Context } from '../../context.ts';
import type { Verdict } from '../../outside/chains/chain.ts';
import { isSameVersion } from '../../outside/chains/pure/version.ts';
import { lockPayments } from '../records/payment-store.ts';
import { type Reported, storeTransfers } from '../records/seen-transfer-store.ts';
import { lockTransfer, releaseTransfers, setTransferStatus, type StoredTransfer } from '../records/transfer-store.ts';

type Standing = Pick<Extract<Verdict, { type: 'stands' }>, 'transfer' | 'providers'>;

/** A transfer as the quorum reports it. */
export function byQuorum(livemode: boolean, { transfer, providers }: Standing): Reported {
  return { livemode, transfers: [transfer], reporter: { providers, isConfirmed: true } };
}

/**
 * Replaces a stored version by the one that the quorum decided for, and queues it: another amount, time or reference may
 * belong to another payment. What a merchant assigned by hand stays assigned as long as the money is the same.
 */
export async function correctTransfer(ctx: Context, seen: StoredTransfer, verdict: Standing): Promise<void> {
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
    await storeTransfers(db, byQuorum(held.livemode, verdict), now);
  });
  ctx.db.notify('transfers', seen.network);
}
