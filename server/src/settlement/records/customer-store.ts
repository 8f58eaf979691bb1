import type { Transaction } from '../../platform/db/db.ts';
import { customerId, foldName, identityOf } from './customer.ts';
import type { Payment } from './payment.ts';
import { netMinorOf, receivedMinor } from './returned.ts';

/** Updates the figures of the payment's customer, in the transaction of the change. */
export async function countForCustomer(db: Transaction, before: Payment, after: Payment): Promise<void> {
  const identity = after.customer && identityOf(after.customer);
  const change = identity && changeOfFigures(before, after);
  if (!change) return;
  const id = customerId({ id: after.accountId, livemode: after.livemode }, identity);
  if (change.payments > 0) await addPaid(db, id, after, change.minor);
  else await changeTotal(db, id, after, change);
}

/** A payment was paid. The newest one describes the customer. */
async function addPaid(db: Transaction, id: string, payment: Payment, minor: bigint): Promise<void> {
  await db.query(
    'add_paid_to_customer',
    `
    insert into customers as c (id, account_id, livemode, email, name, reference, payments, totals, last_paid_at, folded_name)
    values ($1, $2, $3, $4, $5, $6, 1, jsonb_build_object($7::text, $8::text), $9, $10)
    on conflict (id) do update
       set email = case when excluded.last_paid_at >= c.last_paid_at then coalesce(excluded.email, c.email) else c.email end,
           name = case when excluded.last_paid_at >= c.last_paid_at then coalesce(excluded.name, c.name) else c.name end,
           folded_name = case when excluded.last_paid_at >= c.last_paid_at
             then coalesce(excluded.folded_name, c.folded_name) else c.folded_name end,
           payments = c.payments + 1,
           totals = c.totals || jsonb_build_object($7::text, (coalesce(c.totals ->> $7, '0')::bigint + $8::bigint)::text),
           last_paid_at = greatest(c.last_paid_at, excluded.last_paid_at)`,
    [
      id,
      payment.accountId,
      payment.livemode,
      payment.customer?.email,
      payment.customer?.name,
      payment.customer?.reference,
      payment.currency,
      minor.toString(),
      payment.paidAt,
      payment.customer?.name && foldName(payment.customer.name),
    ],
  );
}

/** A paid payment was refunded, got more money, or lost its money. */
async function changeTotal(
  db: Transaction,
  id: string,
  { currency }: Payment,
  change: { payments: number; minor: bigint },
): Promise<void> {
  await db.query(
    'take_back_from_customer',
    `
    update customers
       set payments = payments + $2,
           totals = totals || jsonb_build_object($3::text, (coalesce(totals ->> $3, '0')::bigint + $4::bigint)::text)
     where id = $1`,
    [id, change.payments, currency, change.minor.toString()],
  );
}

/** How a change of a payment changes its customer's figures; undefined if it does not. */
function changeOfFigures(before: Payment, after: Payment): { payments: number; minor: bigint } | undefined {
  const [was, is] = [contributionOf(before), contributionOf(after)];
  const change = { payments: is.payments - was.payments, minor: is.minor - was.minor };
  return change.payments === 0 && change.minor === 0n ? undefined : change;
}

/** What a payment adds to its customer's figures: nothing unless it was paid and still counts. */
function contributionOf(payment: Payment): { payments: number; minor: bigint } {
  const { status, paidAt, refunds } = payment;
  if (paidAt === null || (status !== 'paid' && status !== 'refunded')) return { payments: 0, minor: 0n };
  return { payments: 1, minor: (receivedMinor(payment) ?? netMinorOf(payment)) - refunds.returnedMinor };
}
