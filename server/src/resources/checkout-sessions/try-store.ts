import type { PublicSessionJson } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { IS_SOUGHT } from '../../settlement/attribution/hint-store.ts';
import { MAY_HOLD_MONEY } from '../../settlement/records/route-order-store.ts';
import { CENTS_SQL } from '../../settlement/records/sql-lists.ts';
import { firstNear } from './near-transfer-store.ts';
import type { CheckoutSession } from './session.ts';

/** How many tries of an order are followed, back and forth. A customer can try again any number of times. */
export const MAX_FOLLOWED = 10;

/**
 * The session that the customer must look at first, of those that `s` tries again: its page shows their money, or still looks
 * for a transaction that they named. They must not pay for the order twice.
 */
const EARLIER_SQL = `
  with recursive earlier (id, nth) as (
    select s.retry_of, 1 where s.retry_of is not null
     union all
    select before.retry_of, nth + 1 from earlier join checkout_sessions before on before.id = earlier.id
     where before.retry_of is not null and nth < ${MAX_FOLLOWED}
  )
  select id, arrived from (
    select earlier.id, nth,
           paid.status = 'expired'
           and exists (select 1 from transaction_hints h where h.payment_id = paid.id and ${IS_SOUGHT}) as named,
           exists (select 1 from (${firstNear('t.*', 'paid.id')}) near
                     join (values ${CENTS_SQL}) cent (asset, network, units) using (asset, network)
                    where near.confirmed and not near.queued and near.handled_at is null
                      and near.reason <> 'too_small' and near.amount_units >= cent.units)
           or (paid.status <> 'refunded'
               and (exists (select 1 from transfers t where t.payment_id = paid.id and t.status <> 'dropped')
                    or exists (select 1 from route_orders o where o.payment_id = paid.id and ${MAY_HOLD_MONEY}))) as arrived
      from earlier join payments paid on paid.session_id = earlier.id) found
   where arrived or named
   order by arrived desc, nth limit 1`;

/** Whether the customer may still pay in a session `s` with its payment `p`, or try it again. */
const HAS_EARLIER = `s.retry_of is not null and p.status in ('created', 'pending', 'expired', 'failed')`;

/** What a page shows of the earlier session, as one text. */
export const EARLIER_STATE_SQL = `case when ${HAS_EARLIER} then (select concat(e.id, e.arrived) from (${EARLIER_SQL}) e) end`;

/** The checkout that the customer must look at before they pay in this one or try it again. */
export async function findEarlier(
  db: Db,
  session: Pick<CheckoutSession, 'id' | 'retryOf'>,
): Promise<PublicSessionJson['earlier']> {
  if (session.retryOf === null) return undefined;
  const [earlier] = await db.query<{ id: string; arrived: boolean }>(
    'find_earlier_of_session',
    `
    select e.id, e.arrived
      from checkout_sessions s join payments p on p.session_id = s.id cross join lateral (${EARLIER_SQL}) e
     where s.id = $1 and ${HAS_EARLIER}`,
    [session.id],
  );
  return earlier;
}

/** The session in which the customer went on after this one: of the next tries the one that was paid, or else the newest. */
export async function findContinued(db: Db, sessionId: string): Promise<{ id: string; isPaid: boolean } | undefined> {
  const [row] = await db.query<{ id: string; isPaid: boolean }>(
    'find_continued_session',
    `
    with recursive later (id, nth) as (
      select id, 1 from checkout_sessions where retry_of = $1
       union all
      select s.id, nth + 1 from later join checkout_sessions s on s.retry_of = later.id where nth < ${MAX_FOLLOWED}
    )
    select later.id, p.paid_at is not null as is_paid
      from later join payments p on p.session_id = later.id
     order by is_paid desc, nth desc limit 1`,
    [sessionId],
  );
  return row;
}
