import type { Buffer } from 'node:buffer';
import type { Db } from '../../platform/db/db.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import type { ClaimedDelivery, Lane } from './delivery.ts';
import type { ResumeState } from './schedule.ts';
import { openKeys } from './signature.ts';

/** How long a taken delivery is nobody else's. A worker that dies leaves it to the next after this time. */
export const LEASE_MS = 30 * SECOND_MS;

/**
 * How many due deliveries of one endpoint are looked at, by its lane; those on their way count, whoever sends them.
 * Those that answer well share the room there is, so that a few get long turns and many get short ones.
 */
const WINDOW = { good: { least: 4, most: 64 }, unproven: 1, slow: 2 } as const;

export interface ClaimLimits {
  good: number;
  unproven: number;
  slow: number;
  /** Endpoints and accounts that have enough on their way. */
  busyEndpoints: readonly string[];
  busyAccounts: readonly string[];
}

// Only what is pending is ever due. Where a delivery is looked up by its id its state is left unasked, since naming it
// would let the planner think of reading the whole queue for each one.

/**
 * Takes due deliveries: the first of every endpoint, then the second of every endpoint, and so on, so that no
 * endpoint waits behind another's queue.
 */
export async function claimDeliveries(db: Db, secrets: Secrets, now: Date, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  const lease = newLease();
  const rows = await db.query<ClaimRow>('claim_deliveries', `
    with recursive waiting (endpoint_id) as (
      (select endpoint_id from deliveries where state = 'pending' order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d
               where d.state = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
        from waiting where waiting.endpoint_id is not null
    ), ready as (
      select due.recorded_at, due.id, due.due_at, due.turn, endpoint.lane
        from waiting
        join webhook_endpoints endpoint on endpoint.id = waiting.endpoint_id
         and endpoint.status = 'active' and endpoint.deleted_at is null
         and endpoint.id <> all ($7::text[]) and endpoint.account_id <> all ($8::text[])
       cross join lateral (
         select first.*, row_number() over () as turn
           from (
             select recorded_at, id, due_at, lease_until
               from deliveries
              where state = 'pending' and endpoint_id = endpoint.id and due_at <= $1
              order by due_at
              limit case endpoint.lane when 'good' then ${goodWindow} when 'unproven' then ${WINDOW.unproven} else ${WINDOW.slow} end
           ) first
       ) due
       where due.lease_until is null or due.lease_until <= $1
    ), placed as (
      select recorded_at, id, lane, row_number() over (partition by lane order by turn, due_at) as place from ready
    ), chosen as (
      select d.recorded_at, d.id
        from placed
        join deliveries d on d.recorded_at = placed.recorded_at and d.id = placed.id
       where placed.place <= case placed.lane when 'good' then $4 when 'unproven' then $5::integer else $6::integer end
         and d.due_at <= $1 and (d.lease_until is null or d.lease_until <= $1)
         for update of d skip locked
    )
    ${takeChosen}`,
  [now, lease, later(now, LEASE_MS), limits.good, limits.unproven, limits.slow, limits.busyEndpoints, limits.busyAccounts]);
  return rows.map((row) => toClaimed(secrets, row, lease)).sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
}

/** Takes those of these deliveries that are due and that nobody else has. */
export async function claimTheseDeliveries(db: Db, secrets: Secrets, now: Date, deliveries: readonly { id: string; recordedAt: Date }[]): Promise<ClaimedDelivery[]> {
  const lease = newLease();
  const rows = await db.query<ClaimRow>('claim_these_deliveries', `
    with chosen as (
      select d.recorded_at, d.id
        from unnest($4::timestamptz[], $5::text[]) as wanted (recorded_at, id)
        join deliveries d on d.recorded_at = wanted.recorded_at and d.id = wanted.id
       where d.due_at <= $1 and (d.lease_until is null or d.lease_until <= $1)
         and exists (select from webhook_endpoints e where e.id = d.endpoint_id and e.status = 'active' and e.deleted_at is null)
         for update of d skip locked
    )
    ${takeChosen}`,
  [now, lease, later(now, LEASE_MS), deliveries.map(({ recordedAt }) => recordedAt), deliveries.map(({ id }) => id)]);
  return rows.map((row) => toClaimed(secrets, row, lease)).sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
}

/** Gives back what was taken and not begun. */
export async function releaseDeliveries(db: Db, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await db.query('release_deliveries', `
    update deliveries d set lease = null, lease_until = null
      from unnest($1::timestamptz[], $2::text[], $3::text[]) as released (recorded_at, id, lease)
     where d.recorded_at = released.recorded_at and d.id = released.id and d.lease = released.lease`,
  [deliveries.map(({ recordedAt }) => recordedAt), deliveries.map(({ id }) => id), deliveries.map(({ lease }) => lease)]);
}

/** Unlike any other, and telling which process holds it. */
function newLease(): string {
  return `${process.pid}-${randomBase62(12)}`;
}

const goodWindow = `least(${WINDOW.good.most}, greatest(${WINDOW.good.least}, 4 * $4::integer / (select count(*)::integer from waiting)))`;

const takeChosen = `
    , taken as (
      update deliveries d set lease = $2, lease_until = $3
        from chosen
       where d.recorded_at = chosen.recorded_at and d.id = chosen.id
      returning d.*
    )
    select taken.id, taken.recorded_at, taken.account_id, taken.endpoint_id, taken.event_id, taken.attempts, taken.due_at,
           taken.resume_state, taken.resume_due_at, endpoint.url, endpoint.lane, endpoint.secret,
           case when endpoint.old_secret_until > $1 then endpoint.old_secret end as old_secret,
           event.body, case when taken.livemode then 0 else account.test_clock_offset_ms end as clock_offset_ms
      from taken
      join webhook_endpoints endpoint on endpoint.id = taken.endpoint_id
      join accounts account on account.id = taken.account_id
      join events event on event.recorded_at = taken.event_recorded_at and event.id = taken.event_id`;

interface ClaimRow {
  id: string;
  recorded_at: Date;
  account_id: string;
  endpoint_id: string;
  event_id: string;
  attempts: number;
  due_at: Date;
  resume_state: ResumeState | null;
  resume_due_at: Date | null;
  url: string;
  lane: Lane;
  secret: Buffer;
  old_secret: Buffer | null;
  body: Buffer;
  clock_offset_ms: bigint;
}

function toClaimed(secrets: Secrets, row: ClaimRow, lease: string): ClaimedDelivery {
  const sealed = row.old_secret ? [row.secret, row.old_secret] : [row.secret];
  return {
    id: row.id,
    recordedAt: row.recorded_at,
    lease,
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    url: row.url,
    keys: sealed.map((secret) => openKeys(secrets, row.endpoint_id, secret)),
    lane: row.lane,
    eventId: row.event_id,
    body: row.body,
    dueAt: row.due_at,
    attempts: row.attempts,
    resume: row.resume_state && { state: row.resume_state, due: row.resume_due_at },
    clockOffsetMs: Number(row.clock_offset_ms),
  };
}
