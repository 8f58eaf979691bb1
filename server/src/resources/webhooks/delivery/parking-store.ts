import type { Db } from '../../../platform/db/db.ts';
import { later, MINUTE_MS } from '../../../platform/time.ts';

/** Deliveries that one statement moves. A queue of any length is moved by many of them, each a commit of its own. */
export const BATCH_SIZE = 1_000;

/** What waits for this endpoint waits until it is enabled. Attempts on their way finish by themselves. */
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

/** What was parked is due at once. */
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
 * Nothing is sent to a deleted endpoint any more; a lease that still runs loses its row. What another process is recording at
 * this moment is passed over, so that the two never wait for each other; the parking job cancels what is left.
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

export async function parkStrays(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'park_strays',
    `
    with stray as materialized (
      select d.id, d.recorded_at
        from webhook_endpoints endpoint
       cross join lateral (
         select id, recorded_at from deliveries
          where endpoint_id = endpoint.id and state = 'pending'
            and not exists (select from delivery_leases lease where lease.delivery_id = deliveries.id and lease.until > $1)
          limit $2) d
       where endpoint.status = 'disabled' and endpoint.deleted_at is null
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
    with stray as materialized (
      select d.id, d.recorded_at
        from webhook_endpoints endpoint
       cross join lateral (
         select id, recorded_at from deliveries where endpoint_id = endpoint.id and state = 'parked' limit $2) d
       where endpoint.status = 'active' and endpoint.deleted_at is null
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
    with stray as materialized (
      select d.id, d.recorded_at
        from webhook_endpoints endpoint
       cross join lateral (
         (select id, recorded_at from deliveries where endpoint_id = endpoint.id and state = 'pending' limit $1)
         union all
         (select id, recorded_at from deliveries where endpoint_id = endpoint.id and state = 'parked' limit $1)) d
       where endpoint.deleted_at is not null
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

/** Leases of what was given up or finished by another way; of the rest whoever looks next takes them over. */
export async function dropOldLeases(db: Db, now: Date): Promise<void> {
  await db.query('drop_old_leases', 'delete from delivery_leases where until <= $1', [later(now, -MINUTE_MS)]);
}
