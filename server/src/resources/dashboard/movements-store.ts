import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { PAYMENT_COLUMNS, type PaymentRow, toPayment } from '../../settlement/records/payment-store.ts';

/** The payments of the account among these. */
export async function findPaymentsOf(
  db: Db,
  account: Account,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Payment>> {
  const rows = await db.query<PaymentRow>(
    'find_payments_of_movements',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = any($1) and p.account_id = $2 and p.livemode = $3`,
    [[...new Set(ids)], account.id, account.livemode],
  );
  return new Map(rows.map((row) => [row.id, toPayment(row)]));
}
