import type { Account } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { lockPayment } from '../../settlement/records/payment-store.ts';
import type { StoredRefund } from './refund.ts';
import { findRefund } from './store.ts';

/** The account's refund, or 404. */
export async function ownRefund(db: Db, account: Account, id: string): Promise<StoredRefund> {
  return (isId('rf', id) ? await findRefund(db, account, id) : undefined) ?? fail('not_found', { param: 'id' });
}

/** The account's refund and its payment. A refund changes only under the lock of its payment. */
export async function lockRefund(
  db: Transaction,
  account: Account,
  id: string,
): Promise<{ payment: Payment; refund: StoredRefund }> {
  const { paymentId } = await ownRefund(db, account, id);
  const payment = await lockPayment(db, account, paymentId);
  invariant(payment, 'a refund has a payment');
  return { payment, refund: await ownRefund(db, account, id) };
}
