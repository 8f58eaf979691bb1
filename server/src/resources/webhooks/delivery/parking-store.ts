import type { Db } from '../../../platform/db/db.ts';
import { later, MINUTE_MS } from '../../../platform/time.ts';
import { deliveryId } from '../../../settlement/records/event-store.ts';

/** Deliveries that one statement moves. A longer queue takes several, each in its own commit. */
export const BATCH_SIZE = 1_000;

/** Parks this endpoint's deliveries until it is enabled. Attempts in flight finish by themselves. */
export async function parkDeliveries(db: Db, endpointId: string): Promise<number> {
  const rows = await db.query(
    'park_deliveries',
    `
    update deliveries
       set state = case when resume_state in ('delivered', 'failed') then resume_state else 'parked' end,
           due_at = null, resume_state = null, resume_due_at = null
     where id in (select id from deliveries d
                   where d.endpoint_id = $1 and d.state = 'pending'
                     and not exists (select from delivery_leases lease where lease.delivery_id = d.id) limit $2)
       and state = 'pending'
    returning id`,
    [endpointId, BATCH_SIZE],
  );
  return rows.length;
}

/** Makes parked deliveries due at once. */
export async function resumeDeliveries(db: Db, endpointId: string, now: Date): Promise<number> {
  const rows = await db.query(
    'resume_deliveries',
    `
    update deliveries set state = 'pending', due_at = $2
     where id in (select id from deliveries where endpoint_id = $1 and state = 'parked' limit $3) and state = 'parked'
    returning id`,
    [endpointId, now, BATCH_SIZE],
  );
  return rows.length;
}

/**
 * Cancels the deliveries of a deleted endpoint; a running lease loses its row. Skips rows that another process is
 * recording right now, so that the two never deadlock; the parking job cancels the rest.
 */
export async function cancelDeliveries(db: Db, endpointId: string): Promise<void> {
  await db.query(
    'cancel_deliveries',
    `
    with held as materialized (
      select delivery_id from delivery_leases where endpoint_id = $1 for update skip locked
    ), given_up as (
      delete from delivery_leases lease using held where lease.delivery_id = held.delivery_id
    )
    update deliveries set state = 'cancelled', due_at = null, resume_state = null, resume_due_at = null
     where id in (
       select id from deliveries where endpoint_id = $1 and state in ('pending', 'parked') limit $2 for update skip locked)
       and state in ('pending', 'parked')`,
    [endpointId, BATCH_SIZE],
  );
}

// The strays of all endpoints are found from the open deliveries, of which there are few, and not from the endpoints: a
// deleted one is kept for months.

export async function parkStrays(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'park_strays',
    `
    with recursive ${endpointsWith('pending')}, stray as materialized (
      select d.id, d.recorded_at
        from with_pending
       cross join lateral (
         select id from webhook_endpoints where id = endpoint_id and status = 'disabled' and deleted_at is null limit 1) endpoint
       cross join lateral (
         select id, recorded_at from deliveries
          where endpoint_id = endpoint.id and state = 'pending'
            and not exists (select from delivery_leases lease where lease.delivery_id = deliveries.id and lease.until > $1)
          limit $2) d
       limit $2
    )
    update deliveries d
       set state = case when d.resume_state in ('delivered', 'failed') then d.resume_state else 'parked' end,
           due_at = null, resume_state = null, resume_due_at = null
      from stray
     where d.id = stray.id and d.recorded_at = stray.recorded_at and d.state = 'pending'
    returning d.id`,
    [now, limit],
  );
  return rows.length;
}

export async function resumeStrays(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'resume_strays',
    `
    with recursive ${endpointsWith('parked')}, stray as materialized (
      select d.id, d.recorded_at
        from with_parked
       cross join lateral (
         select id from webhook_endpoints where id = endpoint_id and status = 'active' and deleted_at is null limit 1) endpoint
       cross join lateral (
         select id, recorded_at from deliveries where endpoint_id = endpoint.id and state = 'parked' limit $2) d
       limit $2
    )
    update deliveries d set state = 'pending', due_at = $1
      from stray
     where d.id = stray.id and d.recorded_at = stray.recorded_at and d.state = 'parked'
    returning d.id`,
    [now, limit],
  );
  return rows.length;
}

export async function cancelStrays(db: Db, _now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'cancel_strays',
    `
    with recursive ${endpointsWith('pending')}, ${endpointsWith('parked')}, stray as materialized (
      select d.id, d.recorded_at
        from (select endpoint_id from with_pending union select endpoint_id from with_parked) with_open
       cross join lateral (
         select id from webhook_endpoints where id = endpoint_id and deleted_at is not null limit 1) endpoint
       cross join lateral (
         (select id, recorded_at from deliveries where endpoint_id = endpoint.id and state = 'pending' limit $1)
         union all
         (select id, recorded_at from deliveries where endpoint_id = endpoint.id and state = 'parked' limit $1)) d
       limit $1
    )
    update deliveries d set state = 'cancelled', due_at = null, resume_state = null, resume_due_at = null
      from stray
     where d.id = stray.id and d.recorded_at = stray.recorded_at and d.state in ('pending', 'parked')
    returning d.id`,
    [limit],
  );
  return rows.length;
}

/** The endpoints that have deliveries in this state, one after the other by the index, and a null as the last. */
function endpointsWith(state: 'pending' | 'parked'): string {
  return `
    with_${state} (endpoint_id) as (
      (select endpoint_id from deliveries where state = '${state}' order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d
               where d.state = '${state}' and d.endpoint_id > with_${state}.endpoint_id order by d.endpoint_id limit 1)
        from with_${state} where with_${state}.endpoint_id is not null
    )`;
}

/** Drops leases of deliveries that ended otherwise. Leases of the rest expire and are taken over. */
export async function dropOldLeases(db: Db, now: Date): Promise<void> {
  await db.query('drop_old_leases', 'delete from delivery_leases where until <= $1', [later(now, -MINUTE_MS)]);
}

/** Waiting deliveries of an account, parked or pending. Beyond this limit none of its long queues grows. */
export const MAX_WAITING_PER_ACCOUNT = 100_000;

/** An endpoint and its queue. */
export interface Queue {
  endpointId: string;
  accountId: string;
  status: 'active' | 'disabled';
  collects: boolean;
  waiting: number;
}

// Counts up to an account's limit only, so that a long queue costs no more than that.
export function listQueues(db: Db): Promise<Queue[]> {
  return db.query<Queue>(
    'list_queues',
    `
    select e.id as "endpointId", e.account_id as "accountId", e.status, e.collects, pending.count + parked.count as waiting
      from webhook_endpoints e
     cross join lateral (
       select count(*)::integer as count from (
         select from deliveries d where d.endpoint_id = e.id and d.state = 'pending' limit ${MAX_WAITING_PER_ACCOUNT}) counted
     ) pending
     cross join lateral (
       select count(*)::integer as count from (
         select from deliveries d where d.endpoint_id = e.id and d.state = 'parked' limit ${MAX_WAITING_PER_ACCOUNT}) counted
     ) parked
     where e.deleted_at is null and (not e.collects or pending.count + parked.count > 0)`,
  );
}

/** Counts the events that endpoints have missed since the last count: one that collects again is counted once more. */
export async function countUncollected(db: Db, now: Date): Promise<void> {
  await db.query(
    'count_uncollected',
    `
    update webhook_endpoints e
       set counted_until = case when not e.collects then $1::timestamptz end,
           uncollected = uncollected + (
             select count(*) from events v
              where v.account_id = e.account_id and v.livemode = e.livemode and v.type = any(e.events)
                and v.recorded_at > e.counted_until and v.recorded_at <= $1
                and not exists (select from deliveries d
                                 where d.id = ${deliveryId('v', 'e')} and d.recorded_at = v.recorded_at))
     where e.deleted_at is null and e.counted_until < $1`,
    [now],
  );
}

/**
 * `fullSince` is null for endpoints that collect again. One that was enabled or disabled since its queue was counted is
 * left for the next count. Returns the changed endpoints.
 */
export function setCollecting(
  db: Db,
  queues: readonly Queue[],
  fullSince: Date | null,
): Promise<{ id: string; url: string; email: string | null }[]> {
  const inOrder = queues.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
  return db.query(
    'set_collecting',
    `
    update webhook_endpoints e set collects = $3::timestamptz is null, counted_until = coalesce(e.counted_until, $3)
      from accounts a, unnest($1::text[], $2::text[]) as counted (id, status)
     where e.id = counted.id and e.status = counted.status and e.collects = ($3::timestamptz is not null)
       and e.deleted_at is null and a.id = e.account_id
    returning e.id, e.url, a.email`,
    [inOrder.map(({ endpointId }) => endpointId), inOrder.map(({ status }) => status), fullSince],
  );
}
