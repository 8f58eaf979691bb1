import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isDisproved } from '../outgoing-transfers/outgoing.ts';
import { lockRefund } from './store.ts';
import { isUnsent, type StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';

/** The merchant frees the amount of a refund that was not sent. One on its way may still arrive, so it is refused. */
export async function cancelRefund(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<StoredRefund> {
  const { payment, refund } = await lockRefund(db, caller, id);
  if (refund.status === 'cancelled') return refund;
  if (!isUnsent(refund) && !(refund.status === 'sent' && isDisproved(refund, caller.now)))
    fail('invalid_payment_state', {
      message:
        refund.status === 'sent'
          ? 'The refund was sent, and its transaction may still arrive. Wait until it is verified, or name the ' +
            'transaction that replaced it.'
          : `The refund is ${refund.status}. Only one that was not sent can be cancelled.`,
    });

  const at = { created: caller.now, recorded: caller.realNow };
  const after: StoredRefund = { ...refund, status: 'cancelled', dueAt: null };
  return (await saveRefund({ ctx, db, at }, payment, { before: refund, after })).refund;
}
