import type { Db } from '../../platform/db/db.ts';
import { STABLECOINS_SQL, VOLATILE_ASSETS_SQL } from '../records/sql-lists.ts';

/** Whether the price of a session `s` is the market's, as `peggedRate` decides. Literals keep the plan of small indexes. */
export const HAS_MOVING_PRICE = `(s.currency = 'EUR' or s.receive_asset in (${VOLATILE_ASSETS_SQL}))`;
/** Whether it is fixed by a peg: the opposite. */
export const HAS_PEGGED_PRICE = `(s.currency <> 'EUR' and s.receive_asset in (${STABLECOINS_SQL}))`;

/** Sources are asked only while a live session of a coin or currency whose price moves could be paid, or a conversion into it delivered. */
export async function isMovingPriceOpen(db: Db): Promise<boolean> {
  const rows = await db.query(
    'find_moving_sessions',
    `
    (select 1 from payments p join checkout_sessions s on s.id = p.session_id
      where p.livemode and p.status in ('created', 'pending')
        and ${HAS_MOVING_PRICE}
      limit 1)
    union all
    (select 1 from route_orders o join payments p on p.id = o.payment_id join checkout_sessions s on s.id = p.session_id
      where o.livemode and o.due_at is not null
        and ${HAS_MOVING_PRICE}
      limit 1)
    limit 1`,
  );
  return rows.length > 0;
}

/** Whether a live session in dollar coins was made before `before` and could still be paid, or a conversion ordered before it delivered. */
export async function isLongPeggedPriceOpen(db: Db, before: Date): Promise<boolean> {
  const rows = await db.query(
    'find_long_pegged_sessions',
    `
    (select 1 from payments p join checkout_sessions s on s.id = p.session_id
      where p.livemode and p.status in ('created', 'pending') and p.created_at < $1
        and ${HAS_PEGGED_PRICE}
      limit 1)
    union all
    (select 1 from route_orders o join payments p on p.id = o.payment_id join checkout_sessions s on s.id = p.session_id
      where o.livemode and o.due_at is not null and o.created_at < $1
        and ${HAS_PEGGED_PRICE}
      limit 1)
    limit 1`,
    [before],
  );
  return rows.length > 0;
}
