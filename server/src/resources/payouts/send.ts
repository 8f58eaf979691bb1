import type { BodyOf } from '@quittance/contract';
import type { PayoutSendingJson, sendPayouts as endpoint } from '@quittance/contract/dashboard';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { hold } from '../outgoing-transfers/hold.ts';
import type { PreparedSending } from '../outgoing-transfers/prepare-sending.ts';
import { lockPayouts, writePayout } from './store.ts';
import type { StoredPayout } from './payout.ts';

/** Gives payouts to the wallet of one browser, before it is asked for them. */
export async function sendPayouts(
  db: Transaction,
  caller: Caller,
  { payouts: ids, holder, from: address, take_over: isTakenOver = false }: BodyOf<typeof endpoint>,
  { network, transfers, transactions }: PreparedSending,
): Promise<PayoutSendingJson> {
  const payouts = await lockPayouts(db, caller, ids);
  const write = (payout: StoredPayout) => writePayout(db, payout);
  const others = await hold(payouts, { holder, address, isTakenOver }, { now: caller.realNow, write });
  return others.length > 0
    ? { network, payouts: [], transactions: [], others }
    : { network, payouts: transfers, transactions, others };
}
