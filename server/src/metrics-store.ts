import type { ReceiveNetwork, UnattributedReason } from '@quittance/contract';
import type { Db } from './platform/db/db.ts';

const MAX_COUNTED_AMOUNTS = 100_000;
const MAX_COUNTED_TRANSFERS = 10_000;

/** The amounts that no other payment can have now, those in quarantine too, counted up to 100,000 per mode. */
export async function countReservedAmounts(db: Db, now: Date): Promise<{ livemode: boolean; count: number }[]> {
  return db.query<{ livemode: boolean; count: number }>(
    'count_all_reserved_amounts',
    `
    select mode.livemode, (select count(*)::integer from (
             (select 1 from reserved_amounts r where r.livemode = mode.livemode and r.reserved_until is null limit $2)
             union all
             (select 1 from reserved_amounts r where r.livemode = mode.livemode and r.reserved_until > $1 limit $2)
             limit $2) held) as count
      from (values (true), (false)) as mode (livemode)`,
    [now, MAX_COUNTED_AMOUNTS],
  );
}

/** The live transfers that no payment took and no person has handled, among the newest 10,000 without a payment. */
export async function countUnattributed(
  db: Db,
): Promise<{ network: ReceiveNetwork; reason: UnattributedReason; count: number }[]> {
  return db.query<{ network: ReceiveNetwork; reason: UnattributedReason; count: number }>(
    'count_unattributed_transfers',
    `
    select newest.network, newest.reason, count(*)::integer as count
      from (select livemode, network, reason, status, queued, handled_at
              from transfers where payment_id is null order by block_time desc limit $1) newest
     where newest.livemode and newest.reason is not null and newest.status <> 'dropped' and not newest.queued and newest.handled_at is null
     group by newest.network, newest.reason`,
    [MAX_COUNTED_TRANSFERS],
  );
}
