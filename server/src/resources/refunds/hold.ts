import type { BodyOf } from '@quittance/contract';
import type { HeldRefundsJson, holdRefunds as holdEndpoint } from '@quittance/contract/dashboard';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { holdFor, othersOf } from '../outgoing-transfers/hold.ts';
import { ownRefund } from './own-refund.ts';
import type { StoredRefund } from './refund.ts';
import { writeRefund } from './store.ts';

/**
 * Before a browser asks its wallet for refunds, it takes them, so that no other one asks another wallet meanwhile. If
 * another has one of them, none is taken, unless the merchant has seen that and takes them over.
 */
export async function holdRefunds(
  db: Transaction,
  caller: Caller,
  { refunds: ids, holder, address, take_over: isTakenOver = false }: BodyOf<typeof holdEndpoint>,
): Promise<HeldRefundsJson> {
  const { realNow: now } = caller;
  const refunds = await lockRefunds(db, caller, ids);
  for (const { id, status } of refunds)
    if (status !== 'planned')
      fail('invalid_payment_state', {
        message: `The refund ${id} is ${status}. Only those that are \`planned\` can be sent.`,
      });
  const others = othersOf(refunds, holder, now);
  if (others.length > 0 && !isTakenOver) return { others };
  const wallet = holdFor(holder, address, now);
  for (const refund of refunds) await writeRefund(db, { ...refund, wallet });
  return { others: [] };
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
