import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isDisproved } from '../outgoing-transfers/outgoing.ts';
import { lockPayouts, writePayout } from './store.ts';

/** Ends payouts that were not sent, or whose transaction moved something else. One on its way may still arrive. */
export async function cancelPayouts(
  db: Transaction,
  caller: Caller,
  ids: readonly string[],
): Promise<{ cancelled: number }> {
  const payouts = await lockPayouts(db, caller, ids);
  for (const payout of payouts) {
    const { id, status } = payout;
    if (status === 'cancelled') continue;
    if (status !== 'planned' && !(status === 'sent' && isDisproved(payout, caller.now)))
      fail('invalid_payment_state', {
        message:
          status === 'sent'
            ? `The payout ${id} was sent, and a transaction that was named for it may still arrive.`
            : `The payout ${id} is ${status}. Only one that was not sent can be cancelled.`,
      });
    await writePayout(db, { ...payout, status: 'cancelled', dueAt: null });
  }
  return { cancelled: payouts.length };
}
