import { HAS_DEPOSIT } from '../records/route-order-store.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import { EARLY_TOLERANCE_MS } from '../records/amounts.ts';
import { oneLookHoldsSince } from '../reading/unseen-store.ts';
import { contestHoldsSince } from '../records/transfer-queue-store.ts';
import { ANNOUNCED_HOLD_MS, LOOK_COUNTS_MS, MAX_UNDECIDED_MS } from './holding.ts';

export const PAYMENTS_AT_ONCE = 100;

export interface DuePayment {
  id: string;
  offsetMs: bigint;
}

/**
 * Payments whose window is over by their account's clock, but for those left. Pending live ones only where the chain has
 * been read past it. Repeats `mayBeUnseen`, `holdsPaymentOpen`, `asOpen`, `hasQueued` and `mayStillDeliver` in SQL, so that
 * a page is not full of held ones.
 */
export function findDue(
  db: Db,
  { now, left, covered }: { now: Date; left: readonly string[]; covered: ReadonlyMap<string, Date> },
): Promise<DuePayment[]> {
  return db.query<DuePayment>(
    'find_due_payments',
    `
    select p.id, 0::bigint as offset_ms
      from payments p join checkout_sessions s on s.id = p.session_id
      left join unnest($3::text[], $4::timestamptz[]) as covered (network, until) on covered.network = s.receive_network
     where p.livemode and p.status in ('created', 'pending') and p.expires_at <= $1 and p.id <> all($5)
       and (p.status = 'created' or covered.until > p.expires_at)
       and not (p.status = 'pending'
                and exists (select 1 from unseen_blocks u
                             where u.network = s.receive_network and u.asset = s.receive_asset and u.from_time <= p.expires_at
                               and u.to_time >= p.created_at - $8 * interval '1 millisecond'
                               and (u.looked_at is null or u.looked_at > $10)))
       and not exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen'
                                                    and (coalesce((t.evidence ->> 'undecidedSince')::timestamptz, 'infinity') > $7
                                                         or coalesce((t.evidence ->> 'undecidedAt')::timestamptz, '-infinity') <= $11))
       and not (p.actual_output_units is null
                and exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'final' and t.evidence ? 'doubted'))
       and not exists (select 1 from transfers t where t.queued and t.livemode and t.network = s.receive_network
           and t.to_address = s.receive_address
                                                    and t.block_time <= p.expires_at)
       and not exists (select 1 from transfers t where t.contested is not null and t.livemode and t.network = s.receive_network
                                                    and t.to_address = s.receive_address and t.status = 'seen'
                                                    and (t.contested ->> 'since')::timestamptz > $9)
       and not exists (select 1 from route_orders o
                        where o.payment_id = p.id
                          and (${HAS_DEPOSIT} or (o.state = 'seen' and p.expires_at > $6)
                               or (o.state in ('waiting', 'short', 'seen') and o.due_at is not null
                                   and (o.polled_at is null or o.polled_at <= p.expires_at))))
    union
    select p.id, a.test_clock_offset_ms
      from payments p join accounts a on a.id = p.account_id
     where not p.livemode and p.status in ('created', 'pending') and p.expires_at <= $1 and p.id <> all($5)
       and not exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen')
       and not exists (select 1 from route_orders o where o.payment_id = p.id and ${HAS_DEPOSIT})
    union
    select p.id, a.test_clock_offset_ms
      from accounts a join payments p on p.account_id = a.id
     where a.test_clock_offset_ms > 0 and not p.livemode and p.status in ('created', 'pending') and p.id <> all($5)
       and p.expires_at <= $1::timestamptz + a.test_clock_offset_ms * interval '1 millisecond'
       and not exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen')
       and not exists (select 1 from route_orders o where o.payment_id = p.id and ${HAS_DEPOSIT})
     limit $2`,
    [
      now,
      PAYMENTS_AT_ONCE,
      [...covered.keys()],
      [...covered.values()],
      left,
      later(now, -ANNOUNCED_HOLD_MS),
      later(now, -MAX_UNDECIDED_MS),
      EARLY_TOLERANCE_MS,
      contestHoldsSince(now),
      oneLookHoldsSince(now),
      later(now, -LOOK_COUNTS_MS),
    ],
  );
}

export async function hasReverted(db: Transaction, paymentId: string): Promise<boolean> {
  const [row] = await db.query(
    'find_reverted',
    `select 1 from reverted_transactions where payment_id = $1 and confirmed limit 1`,
    [paymentId],
  );
  return row !== undefined;
}
