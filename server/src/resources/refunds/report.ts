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
  const isOver = refund.status === 'final' || refund.failureReason === 'transaction_reverted';
  if (refund.txHash === txHash && (isOver || refund.status === 'sent')) return refund;
  const at = { created: caller.now, recorded: caller.realNow };
  // After a take-over two wallets may send it.
  if (refund.status === 'final' && refund.wallet !== null)
    return (await saveRefund({ ctx, db, at }, payment, { before: refund, after: namingLate(refund, txHash) })).refund;
  const isLate = mayBeSentLate(refund);
  if (refund.status !== 'planned' && refund.status !== 'sent' && !isLate)
    fail('invalid_payment_state', {
      message:
        `The refund is ${refund.status}. Only one that is \`planned\` or \`sent\` can be reported as sent. ` +
        'If money was sent, create a refund with its `tx_hash`.',
    });

  const fits = !isLate || refund.amountUnits <= leftUnits(payment);
  // Its amount belongs to other refunds by now. Cancelled, but with a transaction, it is shown as its own case.
  const uncounted: StoredRefund = {
    ...naming(refund, txHash),
    status: 'cancelled',
    mismatch: null,
    failureReason: null,
    sentAt: caller.now,
  };
  const change = { before: refund, after: fits ? asSent(refund, txHash, caller) : uncounted };
  const saved = await saveRefund({ ctx, db, at }, payment, change);
  db.afterCommit(() => ctx.db.notify('refunds'));
  return saved.refund;
}

/** It has ended, and a wallet was asked for it or a transaction was named: what was signed may still be sent. */
function mayBeSentLate({ status, wallet, txHash }: StoredRefund): boolean {
  return (status === 'failed' || status === 'cancelled') && (wallet !== null || txHash !== null);
}
