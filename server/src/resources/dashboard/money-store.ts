import type { Db } from '../../platform/db/db.ts';
import { CENTS_SQL } from '../../settlement/records/sql-lists.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';

type NotCounted = Pick<StoredTransfer, 'id' | 'asset' | 'network' | 'amountUnits' | 'reason'>;

/**
 * Transfers that were meant for a payment, do not count for it, and are neither assigned nor handled: the most valuable ones,
 * roughly, because anyone can send others.
 */
export async function findNotCounted(db: Db, paymentId: string): Promise<NotCounted[]> {
  return db.query<NotCounted>(
    'find_not_counted',
    `
    select t.id, t.asset, t.network, t.amount_units, t.reason
      from transfers t
      join (values ${CENTS_SQL}) cent (asset, network, units)
        on cent.asset = t.asset and cent.network = t.network and cent.units <= t.amount_units
     where t.near_payment_id = $1 and t.payment_id is null and t.reason not in ('no_match', 'released')
       and t.handled_at is null and t.status <> 'dropped' and t.confirmed and not t.queued
     order by t.amount_units / cent.units desc, t.id limit 5`,
    [paymentId],
  );
}
