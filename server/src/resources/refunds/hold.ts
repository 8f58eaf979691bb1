import type { BodyOf } from '@quittance/contract';
import type { HeldRefundsJson, holdRefunds as holdEndpoint } from '@quittance/contract/dashboard';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { hold } from '../outgoing-transfers/hold.ts';
import { ownRefund, writeRefund } from './store.ts';
import type { StoredRefund } from './refund.ts';

export async function holdRefunds(
  db: Transaction,
  caller: Caller,
  { refunds: ids, holder, address, take_over: isTakenOver = false }: BodyOf<typeof holdEndpoint>,
): Promise<HeldRefundsJson> {
  const refunds = await lockRefunds(db, caller, ids);
  const write = (refund: StoredRefund) => writeRefund(db, refund);
  return { others: await hold(refunds, { holder, address, isTakenOver }, { now: caller.realNow, write }) };
}

/** The wallet has not sent these. Those that another browser has taken over stay with it. */
export async function releaseRefunds(
  db: Transaction,
  caller: Caller,
  { refunds: ids, holder }: { refunds: readonly string[]; holder: string },
): Promise<void> {
  for (const refund of await lockRefunds(db, caller, ids))
    if (refund.wallet?.holder === holder)
      await writeRefund(db, { ...refund, wallet: { ...refund.wallet, until: caller.realNow } });
}

/** The account's refunds, under the locks of their payments. */
async function lockRefunds(db: Transaction, caller: Caller, ids: readonly string[]): Promise<StoredRefund[]> {
  const own = async () => {
    const refunds: StoredRefund[] = [];
    for (const id of new Set(ids)) refunds.push(await ownRefund(db, caller, id));
    return refunds;
  };
  const seen = await own();
  await lockPayments(db, [...new Set(seen.map(({ paymentId }) => paymentId))]);
  return own();
}
