import type { Transaction } from '../../platform/db/db.ts';

export interface Candidate {
  id: string;
  /** By real time. */
  expiresAt: Date;
}

/** The end by real time: an account that is years ahead would keep its checkouts for years. */
const REAL_END = 'coalesce(real_expires_at, expires_at)';

// Locked against rows that would refer to them: a concurrent claim, hint or transfer waits, and then finds nothing.
export function lockUnstarted(db: Transaction, values: unknown[]): Promise<Candidate[]> {
  return db.query<Candidate>(
    'lock_unstarted_payments',
    `
    select id, ${REAL_END} as expires_at from payments
     where status = 'expired' and started_at is null and ${REAL_END} < $1 and (${REAL_END}, id) > ($2::timestamptz, $3::text)
     order by ${REAL_END}, id limit $4
       for update skip locked`,
    values,
  );
}

export function lockUnpaid(db: Transaction, values: unknown[]): Promise<Candidate[]> {
  return db.query<Candidate>(
    'lock_unpaid_payments',
    `
    select id, ${REAL_END} as expires_at from payments
     where status = 'expired' and started_at is not null and ${REAL_END} < $1 and (${REAL_END}, id) > ($2::timestamptz, $3::text)
     order by ${REAL_END}, id limit $4
       for update skip locked`,
    values,
  );
}

/**
 * Keeps every payment that has a transfer, a claim, a deposit, a transaction from a hint, or a credential that moved
 * money or may move it. A void credential can never move money, so it keeps no payment: anyone can make up a hash.
 */
export async function deleteCheckouts(db: Transaction, paymentIds: readonly string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  await db.query(
    'delete_unpaid_checkouts',
    `
    with unpaid as materialized (
      select p.id from payments p
       where p.id = any($1)
         and not exists (select from transfers t where t.payment_id = p.id)
         and not exists (select from transfers t where t.near_payment_id = p.id)
         and not exists (select from signed_claims c where c.payment_id = p.id)
         and not exists (select from receipts r where r.payment_id = p.id)
         and not exists (select from refunds f where f.payment_id = p.id)
         and not exists (select from machine_credentials m where m.payment_id = p.id and m.state <> 'void')
         and not exists (select from transaction_hints h where h.payment_id = p.id)
         and not exists (select from route_orders o
                          where o.payment_id = p.id
                            and (o.state not in ('waiting', 'dead') or o.deposited_units is not null or o.due_at is not null))
    ), orders as (
      delete from route_orders o using unpaid where o.payment_id = unpaid.id returning o.reference, o.livemode
    ), test_orders as (
      delete from sandbox_orders o using orders where not orders.livemode and o.reference = orders.reference
    ), targets as (
      delete from payment_targets t using unpaid where t.payment_id = unpaid.id
    ), amounts as (
      delete from reserved_amounts a using unpaid where a.payment_id = unpaid.id
    ), refused as (
      delete from reverted_transactions r using unpaid where r.payment_id = unpaid.id
    ), credentials as (
      delete from machine_credentials m using unpaid where m.payment_id = unpaid.id
    ), states as (
      delete from payment_states s using unpaid where s.payment_id = unpaid.id
    ), gone as (
      delete from payments p using unpaid where p.id = unpaid.id returning p.session_id
    )
    delete from checkout_sessions s using gone where s.id = gone.session_id`,
    [paymentIds],
  );
}
