import type { Transaction } from '../../platform/db/db.ts';
import { applyRelease } from '../outcome/settle.ts';
import { lockPayments } from '../records/payment-store.ts';
import type { Instants, Settlement } from '../records/settlement.ts';
import { lockTransfer, markReleased, releaseTransfers, type StoredTransfer } from '../records/transfer-store.ts';

/**
 * Releases a transfer from its payment, for the owner of the address. The payment loses the money, with an event.
 * Returns false if the payment has changed meanwhile.
 */
export async function releaseTransfer(
  ctx: Settlement['ctx'],
  db: Transaction,
  transfer: StoredTransfer,
  at: Instants,
): Promise<boolean> {
  const { paymentId } = transfer;
  if (paymentId === null) return false;
  const payment = (await lockPayments(db, [paymentId])).get(paymentId);
  const held = await lockTransfer(db, transfer.id);
  if (!payment || held?.paymentId !== paymentId || held.queued) return false;

  await releaseTransfers(db, [held.id], 'released');
  await markReleased(db, held.id, at.created);
  ctx.log.warn(
    { transferId: held.id, paymentId, accountId: payment.accountId, network: held.network, txHash: held.txHash },
    'transfer released by the owner of its address',
  );
  // Before it is final, a transfer has not counted.
  if (held.status === 'final') await applyRelease({ ctx, db, at }, payment, { rule: 'released', transfer: held.id });
  db.afterCommit(() => ctx.db.notify('payments', paymentId));
  return true;
}
