import type { Db } from '../../platform/db/db.ts';

/** Deletes a batch of unattributed transfers older than an instant; returns the number. */
export async function deleteTransfersWithoutPayment(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_transfers_without_payment',
    `
    delete from transfers
     where id = any(array(
       select id from transfers
        where payment_id is null and not queued and status in ('final', 'dropped') and block_time < $1
        order by block_time limit $2 for update skip locked))
    returning id`,
    [before, limit],
  );
  return rows.length;
}

/** The same for transactions that could not be stored. The alarm logged each of them. */
export async function deleteSetAsideTransactions(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_set_aside_transactions',
    `
    delete from set_aside_transactions
     where (network, tx_hash) in (select network, tx_hash from set_aside_transactions where at < $1 order by at limit $2)
    returning tx_hash`,
    [before, limit],
  );
  return rows.length;
}
