import type { Db } from '../../platform/db/db.ts';

/** A transfer and the sessions' payments whose references it carries. */
export interface NewlyReferenced {
  id: string;
  paymentIds: string[];
}

/**
 * The newest live transfers that matched nothing, since an instant, and whose reference has a session for their address by
 * now. If the address had a wallet for another asset or network only, their reason says that. Addresses take turns: anyone
 * can send a thousand transfers with made-up references to their own address.
 */
export async function findNewlyReferenced(
  db: Db,
  from: Date,
  limit: number,
): Promise<{ referenced: NewlyReferenced[]; isLimited: boolean }> {
  const rows = await db.query<{ lookedAt: number; id: string | null; paymentIds: string[] | null }>(
    'find_newly_referenced',
    `
    with unmatched as (
      select id, network, asset, to_address, reason, carried, block_time,
             row_number() over (partition by network, to_address order by block_time desc) as turn
        from transfers
       where livemode and payment_id is null and handled_at is null
         and reason in ('no_match', 'other_asset', 'wrong_network') and carried <> '{}'
         and released_at is null and set_aside_at is null and not queued and status <> 'dropped' and block_time >= $1
    ), looked_at as materialized (
      select * from unmatched order by turn, block_time desc limit $2
    ), referenced as (
      select t.id, array_agg(distinct s.payment_id) as payment_ids
        from looked_at t
       cross join lateral unnest(t.carried) as carried (mark)
        join checkout_sessions s
          on substring(s.reference from 1 for 16) = substring(carried.mark from 1 for 16)
         and substring(s.reference from 1 for length(carried.mark)) = carried.mark
         and s.livemode and s.receive_address = t.to_address and s.receive_network = t.network
         and (t.reason = 'no_match' or s.receive_asset = t.asset)
       group by t.id
    )
    select (select count(*) from looked_at)::integer as looked_at, referenced.id, referenced.payment_ids
      from (values (1)) one left join referenced on true
     order by referenced.id`,
    [from, limit],
  );
  return {
    referenced: rows.flatMap(({ id, paymentIds }) => (id && paymentIds ? [{ id, paymentIds }] : [])),
    isLimited: (rows[0]?.lookedAt ?? 0) >= limit,
  };
}
