import type { BodyOf } from '@quittance/contract';
import type { cancelPayouts as endpoint } from '@quittance/contract/dashboard';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isDisproved } from '../outgoing-transfers/outgoing.ts';
import { lockPayouts, writePayout } from './store.ts';

/**
 * Ends payouts that were not sent, or whose transaction moved something else. One on its way may still arrive, and one that a
 * wallet was just asked for may still be sent: a merchant who takes that for cancelled plans and sends it again.
 */
export async function cancelPayouts(
  db: Transaction,
  caller: Caller,
  { payouts: ids, take_over: isTakenOver = false }: BodyOf<typeof endpoint>,
): Promise<{ cancelled: number }> {
  const payouts = await lockPayouts(db, caller, ids);
  for (const payout of payouts) {
    const { id, status, wallet } = payout;
    if (status === 'cancelled') continue;
    if (status !== 'planned' && !(status === 'sent' && isDisproved(payout, caller.now)))
      fail('invalid_payment_state', {
        message:
          status === 'sent'
            ? `The payout ${id} was sent, and a transaction that was named for it may still arrive.`
            : `The payout ${id} is ${status}. Only one that was not sent can be cancelled.`,
      });
    if (status === 'planned' && wallet && wallet.until > caller.realNow && !isTakenOver)
      fail('invalid_payment_state', {
        param: 'take_over',
        message:
          `The wallet ${wallet.address} was asked for the payout ${id} and may send it. Wait until ` +
          `${wallet.until.toISOString()}, or set \`take_over\` if that wallet has not sent it and will not.`,
      });
    await writePayout(db, { ...payout, status: 'cancelled', dueAt: null });
  }
  return { cancelled: payouts.length };
}
