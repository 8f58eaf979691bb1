import type { Db } from '../../platform/db/db.ts';

/** The newest live transfers that matched nothing, since an instant, and whose reference has a session for their address by now. */
export async function findNewlyReferenced(
  db: Db,
  from: Date,
  limit: number,
): Promise<{ id: string; paymentId: string }[]> {
  const rows = await db.query<{ id: string; payment_id: string }>(
    'find_newly_referenced',
    `
    with unmatched as materialized (
      select id, network, to_address, carried from transfers
       where livemode and payment_id is null and handled_at is null and reason = 'no_match' and carried <> '{}'
         and released_at is null and not queued and status <> 'dropped' and block_time >= $1
       order by block_time desc limit $2
    )
    select distinct on (t.id) t.id, s.payment_id
      from unmatched t
     cross join lateral unnest(t.carried) as carried (mark)
      join checkout_sessions s
        on substring(s.reference from 1 for 16) = substring(carried.mark from 1 for 16)
       and substring(s.reference from 1 for length(carried.mark)) = carried.mark
       and s.livemode and s.receive_address = t.to_address and s.receive_network = t.network
     order by t.id`,
    [from, limit],
  );
  return rows.map(({ id, payment_id }) => ({ id, paymentId: payment_id }));
}
