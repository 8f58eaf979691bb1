import type { Db } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import { later } from '../../../platform/time.ts';
import { isDelivered, type Outcome } from './delivery.ts';

/** Finishes deliveries whose lease is still valid, and stores their attempts. Returns their ids. */
export async function finishDeliveries(db: Db, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const column = <T>(of: (outcome: Outcome) => T): T[] => outcomes.map(of);
  const rows = await db.query<{ deliveryId: string }>(
    'finish_deliveries',
    `
    with result as (
      select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::integer[], $7::timestamptz[],
                           $8::text[], $9::text[], $10::text[], $11::integer[], $12::text[], $13::text[], $14::integer[], $15::timestamptz[], $16::timestamptz[])
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
           (id, delivery_id, endpoint_id, number, kind, outcome, response_code, response_body, error, duration_ms, attempted_at, recorded_at)
    select attempt_id, id, endpoint_id, greatest(attempts, 1), kind, outcome, response_code, response_body, error, duration_ms, attempted_at, ended_at
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
