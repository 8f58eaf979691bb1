import type { Buffer } from 'node:buffer';
import type { Db } from '../../../platform/db/db.ts';
import { randomBase62 } from '../../../platform/ids.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import type { LeasedDelivery } from './delivery.ts';
import type { ResumeState } from './schedule.ts';
import { type KeyRing, openKeys } from './signature.ts';
import { WAITING_ENDPOINTS } from './waiting-endpoints.ts';

/** How long a worker holds a leased delivery. Afterwards another one may lease it, so a dead worker loses nothing. */
export const LEASE_MS = 30 * SECOND_MS;

/**
 * How many due deliveries of one endpoint are considered, by lane, including those in flight in any process. Healthy
 * endpoints share the room, so that few get long turns and many get short ones.
 */
const WINDOW = { healthy: { min: 4, max: 64 }, probation: 1, slow: 2 } as const;

/** How many deliveries may be leased, by lane. */
export interface LeaseLimits {
  healthy: number;
  probation: number;
  slow: number;
  /** Endpoints and accounts with enough deliveries in flight. */
  busyEndpoints: readonly string[];
  busyAccounts: readonly string[];
}

/**
 * Leases due deliveries: one of every account, then a second one of every account, and so on, and the same way for the
 * endpoints of each account. So no account waits for another's endpoints, however many they are.
 */
export async function leaseDeliveries(
  db: Db,
  keyRing: KeyRing,
  now: Date,
  limits: LeaseLimits,
): Promise<LeasedDelivery[]> {
  const holder = newHolder();
  const leased = await db.query<{ deliveryId: string }>(
    'lease_deliveries',
    `
    with recursive ${WAITING_ENDPOINTS}, ready as (
      select due.id, due.due_at, due.turn, endpoint.id as endpoint_id, endpoint.account_id, endpoint.lane
        from waiting
        join webhook_endpoints endpoint on endpoint.id = waiting.endpoint_id
         and endpoint.status = 'active' and endpoint.deleted_at is null
         and endpoint.id <> all ($7::text[]) and endpoint.account_id <> all ($8::text[])
       cross join lateral (
         select first.id, first.due_at, row_number() over () as turn
           from (
             select id, due_at
               from deliveries
              where state = 'pending' and endpoint_id = endpoint.id and due_at <= $1
              order by due_at
              limit case endpoint.lane when 'healthy' then ${healthyWindow} when 'probation' then ${WINDOW.probation} else ${WINDOW.slow} end
           ) first
       ) due
       where coalesce((select lease.until <= $1 from delivery_leases lease where lease.delivery_id = due.id), true)
    ), shared as (
      select *, row_number() over (partition by lane, account_id order by turn, due_at) as account_turn from ready
    ), placed as (
      select id, endpoint_id, lane, row_number() over (partition by lane order by account_turn, due_at) as place from shared
    )
    ${takeLeases(`
      select id, endpoint_id from placed
       where place <= case lane when 'healthy' then $4 when 'probation' then $5::integer else $6::integer end`)}`,
    [
      now,
      holder,
      later(now, LEASE_MS),
      limits.healthy,
      limits.probation,
      limits.slow,
      limits.busyEndpoints,
      limits.busyAccounts,
    ],
  );
  return loadLeased(db, keyRing, { now, holder, ids: leased.map((row) => row.deliveryId) });
}

/** Leases those of these deliveries that no other worker holds. */
export async function leaseTheseDeliveries(
  db: Db,
  keyRing: KeyRing,
  now: Date,
  deliveries: readonly { id: string; endpointId: string }[],
): Promise<LeasedDelivery[]> {
  const holder = newHolder();
  const leased = await db.query<{ deliveryId: string }>(
    'claim_these_deliveries',
    `
    ${takeLeases('select id, endpoint_id from unnest($4::text[], $5::text[]) as wanted (id, endpoint_id)')}`,
    [now, holder, later(now, LEASE_MS), deliveries.map(({ id }) => id), deliveries.map(({ endpointId }) => endpointId)],
  );
  return loadLeased(db, keyRing, { now, holder, ids: leased.map((row) => row.deliveryId) });
}

/** Releases leased deliveries that were not started. */
export async function releaseDeliveries(db: Db, deliveries: readonly { id: string; lease: string }[]): Promise<void> {
  if (deliveries.length === 0) return;
  await db.query(
    'release_deliveries',
    `
    delete from delivery_leases lease using unnest($1::text[], $2::text[]) as released (id, holder)
     where lease.delivery_id = released.id and lease.holder = released.holder`,
    [deliveries.map(({ id }) => id), deliveries.map(({ lease }) => lease)],
  );
}

/** Leases the chosen deliveries, always in the same order, so that two workers never deadlock. */
function takeLeases(chosen: string): string {
  return `
    insert into delivery_leases as known (delivery_id, endpoint_id, holder, until)
    select id, endpoint_id, $2, $3 from (${chosen}) chosen order by id
        on conflict (delivery_id) do update set holder = excluded.holder, until = excluded.until where known.until <= $1
    returning delivery_id`;
}

/** What the attempts need. Read after the lease, because another worker may have finished a delivery before it. */
async function loadLeased(
  db: Db,
  keyRing: KeyRing,
  { now, holder, ids }: { now: Date; holder: string; ids: readonly string[] },
): Promise<LeasedDelivery[]> {
  if (ids.length === 0) return [];
  // Each is looked up by its id, and `limit 1` keeps it so: the queue changes too fast for the planner's statistics,
  // which would make it read the whole queue. Only pending deliveries are ever due, so the state is not checked.
  const rows = await db.query<LeasedRow>(
    'load_leased',
    `
    select d.id, d.recorded_at, d.account_id, d.livemode, d.endpoint_id, d.event_id, d.attempts, d.due_at, d.resume_state, d.resume_due_at,
           endpoint.url, endpoint.lane, endpoint.asymmetric_signature as is_asymmetric, endpoint.secret, case when endpoint.old_secret_until > $1 then endpoint.old_secret end as old_secret,
           event.body, case when d.livemode then 0 else account.test_clock_offset_ms end as clock_offset_ms
      from unnest($2::text[]) as taken (id)
     cross join lateral (select * from deliveries where id = taken.id and due_at <= $1 limit 1) d
     cross join lateral (select body from events where id = d.event_id and recorded_at = d.event_recorded_at limit 1) event
     cross join lateral (select * from webhook_endpoints where id = d.endpoint_id and status = 'active' and deleted_at is null limit 1) endpoint
     cross join lateral (select test_clock_offset_ms from accounts where id = d.account_id limit 1) account`,
    [now, ids],
  );
  if (rows.length < ids.length) {
    const loaded = new Set(rows.map(({ id }) => id));
    await releaseDeliveries(
      db,
      ids.filter((id) => !loaded.has(id)).map((id) => ({ id, lease: holder })),
    );
  }
  return rows
    .map((row) => toLeased(keyRing, row, holder))
    .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
}

/** Unique, and names the process. */
function newHolder(): string {
  return `${process.pid}-${randomBase62(12)}`;
}

const healthyWindow = `least(${WINDOW.healthy.max}, greatest(${WINDOW.healthy.min}, 4 * $4::integer / (select count(*)::integer from waiting)))`;

type LeasedRow = Omit<LeasedDelivery, 'lease' | 'keys' | 'resume' | 'clockOffsetMs'> & {
  secret: Buffer;
  oldSecret: Buffer | null;
  resumeState: ResumeState | null;
  resumeDueAt: Date | null;
  clockOffsetMs: bigint;
};

function toLeased(
  keyRing: KeyRing,
  { secret, oldSecret, resumeState, resumeDueAt, ...row }: LeasedRow,
  lease: string,
): LeasedDelivery {
  const sealed = oldSecret ? [secret, oldSecret] : [secret];
  return {
    ...row,
    lease,
    keys: sealed.map((one) => openKeys(keyRing, row.endpointId, one)),
    resume: resumeState && { state: resumeState, due: resumeDueAt },
    clockOffsetMs: Number(row.clockOffsetMs),
  };
}
