import { Buffer } from 'node:buffer';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { later } from '../../platform/time.ts';
import type { Step } from './payment.ts';
import { presentEventData } from './present-payment.ts';

// Several changes of a payment may happen at the same instant, and lists are ordered by it.
const afterTheLast = `(
  select max(earlier.recorded_at) + step.place * interval '1 millisecond'
    from events earlier where earlier.payment_id = step.payment_id)`;

/** When an event happened for its account (in test mode by the test clock), and when the database recorded it. */
export interface EventTimes {
  created: Date;
  recorded: Date;
}

/**
 * Writes the events of these steps, with one delivery for each endpoint subscribed to the type. Call it in the
 * transaction of the change, and `notify('deliveries')` after the commit.
 */
export async function recordEvents(
  ctx: Pick<Context, 'config'>,
  db: Db,
  steps: readonly Step[],
  at: EventTimes,
): Promise<void> {
  if (steps.length === 0) return;
  const events = steps.map((step) => ({ step, id: newId('evt') }));
  await db.query(
    'record_events',
    `
    with step as (
      select *, row_number() over (partition by payment_id order by sequence) as place
        from unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::integer[], $6::text[], $7::bytea[], $8::timestamptz[])
          as step (id, account_id, livemode, payment_id, sequence, type, body, recorded_at)
    ), event as (
      insert into events (id, account_id, livemode, payment_id, sequence, type, body, recorded_at, created_at)
      select id, account_id, livemode, payment_id, sequence, type, body,
             case when sequence = 1 then recorded_at else greatest(recorded_at, ${afterTheLast}) end, $9::timestamptz
        from step
      returning id, account_id, livemode, type, recorded_at
    )
    ${insertDeliveries('event')}`,
    [
      events.map(({ id }) => id),
      steps.map(({ payment }) => payment.accountId),
      steps.map(({ payment }) => payment.livemode),
      steps.map(({ payment }) => payment.id),
      steps.map(({ payment }) => payment.sequence),
      steps.map(({ type }) => type),
      events.map(({ step, id }) => eventBody(ctx, step, id, at.created)),
      recordedInOrder(steps, at.recorded),
      at.created,
    ],
  );
}

/** The body that every endpoint receives for this event, on every attempt. Written once and never rebuilt. */
export function eventBody(
  ctx: Pick<Context, 'config'>,
  { payment, type }: Step,
  eventId: string,
  created: Date,
): Buffer {
  return Buffer.from(
    JSON.stringify({ id: eventId, type, created: created.toISOString(), data: presentEventData(ctx, payment) }),
  );
}

/**
 * The part of a statement that creates the deliveries of each event of `source` (id, account_id, livemode, type,
 * recorded_at): due at once, or parked if the endpoint is disabled; none if its queue is full. The id is derived from
 * event and endpoint, so that each pair has at most one delivery.
 */
export function insertDeliveries(source: string): string {
  return `
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
    select ${deliveryId(source, 'endpoint')}, endpoint.account_id, endpoint.livemode, endpoint.id, ${source}.id, ${source}.type,
           case endpoint.status when 'active' then 'pending' else 'parked' end,
           case endpoint.status when 'active' then ${source}.recorded_at end,
           ${source}.recorded_at, ${source}.recorded_at
      from ${source}
      join webhook_endpoints endpoint
        on endpoint.account_id = ${source}.account_id and endpoint.livemode = ${source}.livemode
       and endpoint.deleted_at is null and endpoint.collects and ${source}.type = any (endpoint.events)`;
}

/** The id of an event's delivery to an endpoint, so that it is found without another index. */
export function deliveryId(event: string, endpoint: string): string {
  return `'dlv_' || left(md5(${event}.id || ${endpoint}.id), 24)`;
}

/**
 * Steps of one payment in one commit are one millisecond apart, ending at `recorded`, so that lists and queues keep
 * their order.
 */
function recordedInOrder(steps: readonly Step[], recorded: Date): Date[] {
  const remaining = new Map<string, number>();
  return steps
    .toReversed()
    .map(({ payment }) => {
      const after = remaining.get(payment.id) ?? 0;
      remaining.set(payment.id, after + 1);
      return later(recorded, -after);
    })
    .reverse();
}
