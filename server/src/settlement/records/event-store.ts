import type { Buffer } from 'node:buffer';
import type { WebhookEventType } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { derivedId } from '../../platform/ids.ts';

// Several changes of an object may be of one instant, and lists are in the order of their instants.
const afterTheLast = `(
  select max(earlier.recorded_at) + step.place * interval '1 millisecond'
    from events earlier where earlier.object_id = step.object_id)`;

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

/** What an event is about, such as a payment, and the number of the change that it reports. */
export interface EventObject {
  id: string;
  accountId: string;
  livemode: boolean;
  sequence: number;
}

/** An event with the bytes that its receivers get. */
export interface NewEvent {
  id: string;
  body: Buffer;
  type: WebhookEventType;
  object: EventObject;
  recordedAt: Date;
}

/**
 * The id of an event follows from its object, the number of the change and the type, so that a service that was restored
 * from a backup sends an event again under the same id. The type is part of it, because another order of changes makes
 * another event.
 */
export function eventId({ id, sequence }: Pick<EventObject, 'id' | 'sequence'>, type: WebhookEventType): string {
  return derivedId('evt', `${id} ${sequence} ${type}`);
}

/** Writes events with a delivery for each endpoint that wants them. */
export async function insertEvents(db: Db, events: readonly NewEvent[], createdAt: Date): Promise<void> {
  await db.query(
    'insert_events',
    `
    with step as (
      select *, row_number() over (partition by object_id order by sequence) as place
        from unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::integer[], $6::text[], $7::bytea[], $8::timestamptz[])
          as step (id, account_id, livemode, object_id, sequence, type, body, recorded_at)
    ), event as (
      insert into events (id, account_id, livemode, object_id, sequence, type, body, recorded_at, created_at)
      select id, account_id, livemode, object_id, sequence, type, body,
             case when sequence = 1 then recorded_at else greatest(recorded_at, ${afterTheLast}) end, $9::timestamptz
        from step
      returning id, account_id, livemode, type, recorded_at
    )
    ${insertDeliveries('event')}`,
    [
      events.map(({ id }) => id),
      events.map(({ object }) => object.accountId),
      events.map(({ object }) => object.livemode),
      events.map(({ object }) => object.id),
      events.map(({ object }) => object.sequence),
      events.map(({ type }) => type),
      events.map(({ body }) => body),
      events.map(({ recordedAt }) => recordedAt),
      createdAt,
    ],
  );
}
