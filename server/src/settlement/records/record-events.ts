import { Buffer } from 'node:buffer';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { derivedId } from '../../platform/ids.ts';
import { later } from '../../platform/time.ts';
import type { Step } from './payment.ts';
import { presentEventData } from './present-payment.ts';

// Several changes of a payment may be of one instant, and lists are in the order of their instants.
const afterTheLast = `(
  select max(earlier.recorded_at) + step.place * interval '1 millisecond'
    from events earlier where earlier.payment_id = step.payment_id)`;

/** When an event happened for its account (the test clock's time in test mode), and when the database wrote it. */
export interface EventTimes {
  created: Date;
  recorded: Date;
}

/**
 * Writes the events of these steps, and with each its deliveries: one per endpoint that has subscribed to its type.
 * Belongs into the transaction of the change; afterwards `notify('deliveries')` once that has committed.
 */
export async function recordEvents(
  ctx: Pick<Context, 'config'>,
  db: Db,
  steps: readonly Step[],
  at: EventTimes,
): Promise<void> {
  if (steps.length === 0) return;
  const events = steps.map((step) => ({ step, id: eventId(step) }));
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

/**
 * The id follows from the payment, the sequence and the type: a service that was restored from a backup and sends an event
 * again sends it under the same id. The type is in it, because what follows in another order is another event.
 */
export function eventId({ payment, type }: Step): string {
  return derivedId('evt', `${payment.id} ${payment.sequence} ${type}`);
}

/** The bytes every receiver of this event gets, at every attempt. Written once, never made again. */
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
 * The part of a statement that gives each event of `source` (id, account_id, livemode, type, recorded_at) its
 * deliveries: due at once, or parked where the endpoint is disabled; none where it is full. The id follows from event and endpoint, so that
 * there is at most one of each.
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

/** The id of an event's delivery to an endpoint, so that what belongs together is found without an index of its own. */
export function deliveryId(event: string, endpoint: string): string {
  return `'dlv_' || left(md5(${event}.id || ${endpoint}.id), 24)`;
}

/** Steps of one payment in one commit are a millisecond apart, backwards from it, so that lists and queues keep their order. */
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
