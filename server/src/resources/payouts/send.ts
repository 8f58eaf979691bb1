import type { BodyOf } from '@quittance/contract';
import type { PayoutSendingJson, sendPayouts as endpoint } from '@quittance/contract/dashboard';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { holdFor, othersOf } from '../outgoing-transfers/hold.ts';
import type { PreparedSending } from '../outgoing-transfers/prepare-sending.ts';
import { lockPayouts } from './own-payouts.ts';
import { writePayout } from './store.ts';

/**
 * Gives payouts to the wallet of one browser, before it is asked for them. If another browser has given one of them to its
 * own, none is given, unless the merchant has seen that and takes them over.
 */
export async function sendPayouts(
  db: Transaction,
  caller: Caller,
  { payouts: ids, holder, from: address, take_over: isTakenOver = false }: BodyOf<typeof endpoint>,
  { network, transfers, transactions }: PreparedSending,
): Promise<PayoutSendingJson> {
  const payouts = await lockPayouts(db, caller, ids);
  for (const { id, status } of payouts)
    if (status !== 'planned') fail('invalid_payment_state', { message: `The payout ${id} is ${status} by now.` });
  const others = othersOf(payouts, holder, caller.realNow);
  if (others.length > 0 && !isTakenOver) return { network, payouts: [], transactions: [], others };
  const wallet = holdFor(holder, address, caller.realNow);
  for (const payout of payouts) await writePayout(db, { ...payout, wallet });
  return { network, payouts: transfers, transactions, others: [] };
}
