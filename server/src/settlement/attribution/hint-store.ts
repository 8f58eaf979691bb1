import type { Db, Transaction } from '../../platform/db/db.ts';
import { EARLY_TOLERANCE_MS } from '../records/amounts.ts';
import type { Payment } from '../records/payment.ts';

/** Maximum number of different transactions that are looked up for one checkout. */
export const MAX_HINTS_PER_PAYMENT = 10;

/**
 * Stores a hint. Returns false if the customer submitted too many other transactions. Beyond the limit, one that has been
 * read already is accepted, but not kept. The caller locks the payment, so that the count is exact.
 */
export async function insertHint(
  db: Transaction,
  payment: Payment,
  txHash: string,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<boolean> {
  const [known] = await db.query<{ isTold: boolean; isRead: boolean; count: number }>(
    'count_hints',
    `
    select exists (select 1 from transaction_hints where payment_id = $1 and tx_hash = $5)
           or exists (select 1 from transfers where payment_id = $1 and tx_hash = $5 and status <> 'dropped') as is_told,
           exists (select 1 from transfers where livemode = $2 and network = $3 and to_address = $4
               and tx_hash = $5 and status <> 'dropped') as is_read,
           (select count(*) from transaction_hints where payment_id = $1)::int as count`,
    [payment.id, payment.livemode, payment.receiveNetwork, payment.receiveAddress, txHash],
  );
  if (known?.isTold) return true;
  if ((known?.count ?? 0) >= MAX_HINTS_PER_PAYMENT) return known?.isRead === true;
  await db.query(
    'insert_hint',
    `
    insert into transaction_hints (payment_id, tx_hash, created_at, expires_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [payment.id, txHash, now, expiresAt],
  );
  return true;
}

/** Whether a transfer `t` of a transaction that was named for a session `s` came to its wallet since it began. */
export const IS_FOR_SESSION = `t.livemode = s.livemode and t.to_address = s.receive_address
  and t.block_time >= s.created_at - interval '${EARLY_TOLERANCE_MS} milliseconds'`;

/**
 * Whether the money of a hint `h` is still looked for: its payment has none of it, the transaction has not reverted, and the
 * merchant has not handled it. Once a provider returned a deposit, a transaction named before that is not looked for, unless it
 * may be another one.
 */
export const IS_SOUGHT = `
      not exists (select 1 from transfers t where t.payment_id = h.payment_id and t.tx_hash = h.tx_hash and t.status <> 'dropped')
  and not exists (select 1 from reverted_transactions r
                   where r.payment_id = h.payment_id and r.tx_hash = h.tx_hash and r.confirmed)
  and not exists (select 1 from route_orders o
                   where o.payment_id = h.payment_id and o.state = 'returned' and o.polled_at >= h.created_at
                     and not exists (select 1 from payment_targets d
                                      where d.payment_id = h.payment_id and d.created_at <= h.created_at
                                        and d.id <> o.target_id)
                     and not exists (select 1 from transaction_hints other
                                      where other.payment_id = h.payment_id and other.tx_hash <> h.tx_hash))
  and not exists (select 1 from checkout_sessions s
                    join transfers t on t.tx_hash = h.tx_hash and ${IS_FOR_SESSION}
                   where s.payment_id = h.payment_id and t.handled_at is not null)`;

/** Whether a customer named a transaction whose money is still looked for. */
export async function hasHints(db: Db, paymentId: string): Promise<boolean> {
  const rows = await db.query(
    'has_hints',
    `select 1 from transaction_hints h where h.payment_id = $1 and ${IS_SOUGHT} limit 1`,
    [paymentId],
  );
  return rows.length > 0;
}

/** Returns how many of up to `limit` expired hints were deleted. */
export async function deleteExpiredHints(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_hints',
    `
    delete from transaction_hints
     where (payment_id, tx_hash) in (select payment_id, tx_hash from transaction_hints where expires_at <= $1 order by expires_at limit $2)
    returning 1`,
    [now, limit],
  );
  return rows.length;
}
