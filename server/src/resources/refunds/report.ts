import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { leftUnits } from '../../settlement/records/returned.ts';
import { asSent, naming, namingLate, readTxHash } from '../outgoing-transfers/sent.ts';
import { lockRefund } from './store.ts';
import type { StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';

/** The merchant names the transaction with which they sent the refund. Until it is final they may name another one. */
export async function reportRefund(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { id, txHash: text }: { id: string; txHash: string },
): Promise<StoredRefund> {
  const { payment, refund } = await lockRefund(db, caller, id);
  const txHash = readTxHash(refund.network, text, 'invalid_refund');
  if (refund.txHash === txHash && (refund.status === 'sent' || refund.status === 'final')) return refund;
  const at = { created: caller.now, recorded: caller.realNow };
  // After a take-over two wallets may send it.
  if (refund.status === 'final' && refund.wallet !== null)
    return (await saveRefund({ ctx, db, at }, payment, { before: refund, after: namingLate(refund, txHash) })).refund;
  // A wallet that was asked for it may send it after it was cancelled.
  const isLate = refund.status === 'cancelled' && refund.wallet !== null;
  if (refund.status !== 'planned' && refund.status !== 'sent' && !isLate)
    fail('invalid_payment_state', {
      message:
        `The refund is ${refund.status}. Only one that is \`planned\` or \`sent\` can be reported as sent. ` +
        'If money was sent, create a refund with its `tx_hash`.',
    });

  const fits = !isLate || refund.amountUnits <= leftUnits(payment);
  // Its amount belongs to other refunds by now, so it stays cancelled: with a transaction, it is shown as its own case.
  const uncounted: StoredRefund = { ...naming(refund, txHash), mismatch: null, sentAt: caller.now };
  const change = { before: refund, after: fits ? asSent(refund, txHash, caller) : uncounted };
  const saved = await saveRefund({ ctx, db, at }, payment, change);
  db.afterCommit(() => ctx.db.notify('refunds'));
  return saved.refund;
}
