import type { Buffer } from 'node:buffer';
import type { Db } from '../../../platform/db/db.ts';
import { randomBase62, newId } from '../../../platform/ids.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { type LeasedDelivery, isDelivered, type Outcome } from './delivery.ts';
import type { ResumeState } from './schedule.ts';
import { type KeyRing, openKeys } from './signature.ts';

/**
 * How long a delivery is leased at most. Those of a dead worker are freed earlier; this frees what a living one does not
 * know that it holds, because the answer to its lease was lost.
 */
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

/** Where a worker looks for due deliveries. */
export interface Look {
  worker: string;
  now: Date;
  /** The endpoints that are known to have due deliveries, with the instant before which none of theirs is due. */
  waiting: readonly { endpointId: string; since: Date }[];
  /** Everything that is due after this instant is looked at, whatever its endpoint. */
  dueAfter: Date;
}

/** Active endpoints that were found, and since when the first delivery of each is due, or null if none is. */
export type Seen = { endpointId: string; since: Date | null }[];

/**
 * Leases due deliveries: one of every account, then a second one of every account, and so on, and the same way for the
 * endpoints of each account. So no account waits for another's endpoints, however many they are.
 *
 * While a snapshot is held, PostgreSQL keeps the index entries of finished deliveries, and whatever reads a queue from
 * its beginning reads all of them. So this begins at each endpoint where its queue began the last time. It stops after a
 * few: bounded by the present as well, a queue looks so short to the planner that it is read whole and sorted.
 */
export async function leaseDeliveries(
  db: Db,
  keyRing: KeyRing,
  { worker, now, waiting, dueAfter }: Look,
  limits: LeaseLimits,
): Promise<{ leased: LeasedDelivery[]; seen: Seen }> {
  const holder = `${worker}-${randomBase62(12)}`;
  const rows = await db.query<{ deliveryId: string | null; endpointId: string; since: Date | null }>(
    'lease_deliveries',
    `
    with waiting as materialized (
      select endpoint_id, min(since) as since
        from (select * from unnest($9::text[], $10::timestamptz[]) as known (endpoint_id, since)
              union all
              select endpoint_id, due_at from deliveries where state = 'pending' and ${DUE} > $11 and ${DUE} <= $1) found
       group by endpoint_id
    ), looked as (
      select waiting.*, endpoint.*
        from waiting
       cross join lateral (
         select account_id, lane, id <> all ($7::text[]) and account_id <> all ($8::text[]) as has_room
           from webhook_endpoints where id = waiting.endpoint_id and status = 'active' and deleted_at is null limit 1) endpoint
    ), first as materialized (
      select looked.*, due.id, due.due_at, due.turn
        from looked
        left join lateral (
         select first.id, first.due_at, row_number() over () as turn
           from (
             select id, due_at
               from deliveries
              where state = 'pending' and endpoint_id = looked.endpoint_id and due_at >= looked.since
              order by due_at
              limit case when not looked.has_room then 0 when looked.lane = 'healthy' then ${healthyWindow}
                         when looked.lane = 'probation' then ${WINDOW.probation} else ${WINDOW.slow} end
           ) first where first.due_at <= $1
       ) due on true
    ), ready as (
      select * from first
       where id is not null
         and coalesce((select lease.until <= $1 from delivery_leases lease where lease.delivery_id = first.id), true)
    ), shared as (
      select *, row_number() over (partition by lane, account_id order by turn, due_at) as account_turn from ready
    ), placed as (
      select id, endpoint_id, lane, row_number() over (partition by lane order by account_turn, due_at) as place from shared
    ), taken as (
      ${takeLeases(`
        select id, endpoint_id from placed
         where place <= case lane when 'healthy' then $4 when 'probation' then $5::integer else $6::integer end`)}
    )
    select delivery_id, endpoint_id, null::timestamptz as since from taken
    union all
    select null, endpoint_id, coalesce(min(due_at), min(since) filter (where not has_room)) from first group by endpoint_id`,
    [
      now,
      holder,
      later(now, LEASE_MS),
      limits.healthy,
      limits.probation,
      limits.slow,
      limits.busyEndpoints,
      limits.busyAccounts,
      waiting.map(({ endpointId }) => endpointId),
      waiting.map(({ since }) => since),
      dueAfter,
    ],
  );
  const ids = rows.flatMap(({ deliveryId }) => deliveryId ?? []);
  const seen = rows.filter(({ deliveryId }) => deliveryId === null);
  return { leased: await loadLeased(db, keyRing, { now, holder, ids }), seen };
}

/** Every endpoint with due deliveries, and when the first is due. Reads the queues from their beginning. */
export function findWaiting(db: Db, now: Date): Promise<{ endpointId: string; dueAt: Date }[]> {
  return db.query<{ endpointId: string; dueAt: Date }>(
    'find_waiting_endpoints',
    `
    with recursive ${WAITING_ENDPOINTS}
    select waiting.endpoint_id, first.due_at
      from waiting
     cross join lateral (
       select due_at from deliveries
        where state = 'pending' and endpoint_id = waiting.endpoint_id and due_at <= $1 order by due_at limit 1) first
     where waiting.endpoint_id is not null`,
    [now],
  );
}

/** Leases those of these deliveries that no other worker holds. */
export async function leaseTheseDeliveries(
  db: Db,
  keyRing: KeyRing,
  now: Date,
  deliveries: readonly { id: string; endpointId: string }[],
): Promise<LeasedDelivery[]> {
  const holder = newWorker();
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
    returning delivery_id, endpoint_id`;
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
           endpoint.url, endpoint.lane, endpoint.asymmetric_signature as is_asymmetric, endpoint.secret, case
             when endpoint.old_secret_until > $1 then endpoint.old_secret end as old_secret,
           event.body, case when d.livemode then 0 else account.test_clock_offset_ms end as clock_offset_ms
      from unnest($2::text[]) as taken (id)
     cross join lateral (select * from deliveries where id = taken.id and due_at <= $1 limit 1) d
     cross join lateral (select body from events where id = d.event_id and recorded_at = d.event_recorded_at limit 1) event
     cross join lateral (select * from webhook_endpoints where id = d.endpoint_id and status = 'active'
       and deleted_at is null limit 1) endpoint
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

/** The name of a worker, which begins each of its leases. Unique, and names the process. */
export function newWorker(): string {
  return `${process.pid}-${randomBase62(12)}`;
}

/** What `deliveries_due_at` is sorted by: no other statement reads by it, so that none uses that index by mistake. */
const DUE = `coalesce(due_at, 'infinity')`;

const shareOfHealthy = '4 * $4::integer / (1 + (select count(*)::integer from waiting))';
const healthyWindow = `least(${WINDOW.healthy.max}, greatest(${WINDOW.healthy.min}, ${shareOfHealthy}))`;

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

/** Finishes deliveries whose lease is still valid, and stores their attempts. Returns their ids. */
export async function finishDeliveries(db: Db, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const column = <T>(of: (outcome: Outcome) => T): T[] => outcomes.map(of);
  const rows = await db.query<{ deliveryId: string }>(
    'finish_deliveries',
    `
    with result as (
      select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::integer[], $7::timestamptz[],
                           $8::text[], $9::text[], $10::text[], $11::integer[], $12::text[], $13::text[],
                             $14::integer[], $15::timestamptz[], $16::timestamptz[])
        as result (recorded_at, id, holder, state, due_at, attempts, ended_at,
                   attempt_id, kind, outcome, response_code, response_body, error, duration_ms, attempted_at, finished_at)
    ), held as (
      delete from delivery_leases lease using result
       where lease.delivery_id = result.id and lease.holder = result.holder
      -- With all of a result's columns: joining the results again compares each with each.
      returning result.*, lease.endpoint_id
    ), finished as (
      update deliveries d
         set attempts = held.attempts, resume_state = null, resume_due_at = null,
             state = case when held.state <> 'pending' then held.state
                          when endpoint.deleted_at is not null then 'cancelled'
                          when endpoint.status = 'disabled' then 'parked' else 'pending' end,
             due_at = case when held.state = 'pending' and endpoint.status = 'active' and endpoint.deleted_at is null then held.due_at end,
             finished_at = case when held.state = 'pending' then null else held.finished_at end
        from held
        -- Only a retry depends on its endpoint.
        left join lateral (
          select status, deleted_at from webhook_endpoints where id = held.endpoint_id and held.state = 'pending' limit 1
        ) endpoint on true
       where d.recorded_at = held.recorded_at and d.id = held.id
      returning held.*
    )
    insert into delivery_attempts
           (id, delivery_id, endpoint_id, number, kind, outcome, response_code, response_body, error, duration_ms,
             attempted_at, recorded_at)
    select attempt_id, id, endpoint_id, greatest(attempts, 1), kind, outcome, response_code, response_body, error,
      duration_ms, attempted_at, ended_at
      from finished
    returning delivery_id`,
    [
      column(({ attempted }) => attempted.delivery.recordedAt),
      column(({ attempted }) => attempted.delivery.id),
      column(({ attempted }) => attempted.delivery.lease),
      column(({ state }) => state),
      column(({ due }) => due),
      column(({ attempts }) => attempts),
      column(({ attempted }) => attempted.endedAt),
      column(() => newId('att')),
      column(({ attempted }) => (attempted.delivery.resume ? 'manual' : 'scheduled')),
      column(({ attempted }) => (isDelivered(attempted) ? 'delivered' : 'failed')),
      column(({ attempted }) => attempted.answer.status),
      column(({ attempted }) => attempted.answer.body),
      column(({ attempted }) => attempted.answer.error),
      column(({ attempted }) => attempted.answer.durationMs),
      column(({ attempted }) => later(attempted.startedAt, attempted.delivery.clockOffsetMs)),
      column(({ attempted }) => later(attempted.endedAt, attempted.delivery.clockOffsetMs)),
    ],
  );
  return new Set(rows.map((row) => row.deliveryId));
}

/** Moves retries of an account's test mode forward by the advance of its test clock. */
export async function shiftDeliveries(db: Db, accountId: string, ms: number): Promise<void> {
  await db.query(
    'shift_deliveries',
    `
    update deliveries set due_at = due_at - $2 * interval '1 millisecond',
                          resume_due_at = resume_due_at - $2 * interval '1 millisecond'
     where account_id = $1 and not livemode and state = 'pending'
       and endpoint_id in (select id from webhook_endpoints where account_id = $1 and not livemode)`,
    [accountId, ms],
  );
}

export interface DueDelivery {
  id: string;
  endpointId: string;
  recordedAt: Date;
  dueAt: Date;
}

/** The first deliveries of an open endpoint that became due between two instants, without some of them. */
export function listDue(
  db: Db,
  endpointId: string,
  { from, until, without, limit }: { from: Date; until: Date; without: readonly string[]; limit: number },
): Promise<DueDelivery[]> {
  return db.query<DueDelivery>(
    'list_due',
    `
    select first.id, first.endpoint_id, first.recorded_at, first.due_at
      from (
        select id, endpoint_id, recorded_at, due_at
          from deliveries
         where state = 'pending' and endpoint_id = $1 and due_at >= $2 and id <> all ($5::text[])
         order by due_at
         limit $4) first
     where first.due_at <= $3
       and exists (select from webhook_endpoints where id = $1 and status = 'active' and deleted_at is null)
     order by first.due_at`,
    [endpointId, from, until, limit, without],
  );
}

/** Those that are unchanged, of endpoints that are open. An attempt makes them due later, or ends them. */
export async function stillOpen(db: Db, deliveries: readonly DueDelivery[]): Promise<DueDelivery[]> {
  const rows = await db.query<{ id: string }>(
    'still_open',
    `
    select d.id
      from unnest($1::timestamptz[], $2::text[], $3::timestamptz[]) as known (recorded_at, id, due_at)
      join deliveries d on d.recorded_at = known.recorded_at and d.id = known.id
      join webhook_endpoints endpoint on endpoint.id = d.endpoint_id and endpoint.status = 'active' and endpoint.deleted_at is null
     where d.due_at = known.due_at`,
    [
      deliveries.map(({ recordedAt }) => recordedAt),
      deliveries.map(({ id }) => id),
      deliveries.map(({ dueAt }) => dueAt),
    ],
  );
  const open = new Set(rows.map(({ id }) => id));
  return deliveries.filter(({ id }) => open.has(id));
}

/**
 * The endpoints with pending deliveries, for `with recursive`: one index entry each, however many deliveries wait. The last
 * row is null.
 */
export const WAITING_ENDPOINTS = `waiting (endpoint_id) as (
      (select endpoint_id from deliveries where state = 'pending' order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d
               where d.state = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
        from waiting where waiting.endpoint_id is not null
    )`;
