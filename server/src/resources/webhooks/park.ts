import type { Job } from '../../job.ts';
import type { Db } from '../../platform/db/db.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';

/**
 * Puts right what raced with an endpoint's change of state: an event recorded in the same moment may have left its
 * delivery waiting for a disabled endpoint, or parked at an active one.
 */
export const parkingJob: Job = {
  name: 'parking',
  everyMs: MINUTE_MS,
  async run({ db }) {
    const now = await db.now();
    await parkStrays(db, now);
    await resumeStrays(db, now);
    await cancelStrays(db);
    await dropOldLeases(db, now);
    return 'idle';
  },
};

/** What waits for this endpoint waits until it is enabled. Attempts on their way finish by themselves. */
export async function parkDeliveries(db: Db, endpointId: string): Promise<number> {
  const rows = await db.query(
    'park_deliveries',
    `
    update deliveries
       set state = case when resume_state in ('delivered', 'failed') then resume_state else 'parked' end,
           due_at = null, resume_state = null, resume_due_at = null
     where endpoint_id = $1 and state = 'pending'
       and not exists (select from delivery_leases lease where lease.delivery_id = deliveries.id)
    returning id`,
    [endpointId],
  );
  return rows.length;
}

/** What was parked is due at once. */
export async function resumeDeliveries(db: Db, endpointId: string, now: Date): Promise<number> {
  const rows = await db.query(
    'resume_deliveries',
    `
    update deliveries set state = 'pending', due_at = $2
     where endpoint_id = $1 and state = 'parked'
    returning id`,
    [endpointId, now],
  );
  return rows.length;
}

/** Nothing is sent to a deleted endpoint any more; a lease that still runs loses its row. */
export async function cancelDeliveries(db: Db, endpointId: string): Promise<void> {
  await db.query(
    'cancel_deliveries',
    `
    with given_up as (delete from delivery_leases where endpoint_id = $1)
    update deliveries set state = 'cancelled', due_at = null, resume_state = null, resume_due_at = null
     where endpoint_id = $1 and state in ('pending', 'parked')`,
    [endpointId],
  );
}

async function parkStrays(db: Db, now: Date): Promise<void> {
  await db.query(
    'park_strays',
    `
    update deliveries d
       set state = case when d.resume_state in ('delivered', 'failed') then d.resume_state else 'parked' end,
           due_at = null, resume_state = null, resume_due_at = null
      from webhook_endpoints endpoint
     where endpoint.status = 'disabled' and endpoint.deleted_at is null and endpoint.id = d.endpoint_id and d.state = 'pending'
       and not exists (select from delivery_leases lease where lease.delivery_id = d.id and lease.until > $1)`,
    [now],
  );
}

async function resumeStrays(db: Db, now: Date): Promise<void> {
  await db.query(
    'resume_strays',
    `
    update deliveries d set state = 'pending', due_at = $1
      from webhook_endpoints endpoint
     where endpoint.status = 'active' and endpoint.deleted_at is null and endpoint.id = d.endpoint_id and d.state = 'parked'`,
    [now],
  );
}

async function cancelStrays(db: Db): Promise<void> {
  await db.query(
    'cancel_strays',
    `
    update deliveries d
       set state = 'cancelled', due_at = null, resume_state = null, resume_due_at = null
      from webhook_endpoints endpoint
     where endpoint.deleted_at is not null and endpoint.id = d.endpoint_id and d.state in ('pending', 'parked')`,
  );
}

/** Leases of what was given up or finished by another way; of the rest whoever looks next takes them over. */
async function dropOldLeases(db: Db, now: Date): Promise<void> {
  await db.query('drop_old_leases', 'delete from delivery_leases where until <= $1', [later(now, -MINUTE_MS)]);
}
