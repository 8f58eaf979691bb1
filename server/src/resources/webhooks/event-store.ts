import type { Buffer } from 'node:buffer';
import type { EventType } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/pagination.ts';

export interface StoredEvent {
  id: string;
  type: EventType;
  body: Buffer;
  recordedAt: Date;
}

export async function findEvent(db: Db, account: Account, id: string): Promise<StoredEvent | undefined> {
  const [row] = await db.query<EventRow>('find_event', `
    select id, type, body, recorded_at from events
     where id = $1 and account_id = $2 and livemode = $3`, [id, account.id, account.livemode]);
  return row && toEvent(row);
}

export interface EventFilter {
  type: EventType | null;
  payment: string | null;
}

/** Newest first. */
export async function listEvents(
  db: Db, account: Account, filter: EventFilter, page: { after: Position | null; limit: number },
): Promise<StoredEvent[]> {
  const values = [account.id, account.livemode, filter.type, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit];
  const common = `
     where account_id = $1 and livemode = $2 and ($3::text is null or type = $3)
       and (recorded_at, id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::text, ''))`;
  const select = 'select id, type, body, recorded_at from events';
  const order = 'order by recorded_at desc, id desc limit $6';
  // A payment has few events, an account many: each way has its own index.
  const rows = filter.payment === null
    ? await db.query<EventRow>('list_events', `${select} ${common} ${order}`, values)
    : await db.query<EventRow>('list_events_of_payment', `${select} ${common} and payment_id = $7 ${order}`, [...values, filter.payment]);
  return rows.map(toEvent);
}

/** What was recorded after this instant, oldest first. */
export async function listEventsSince(db: Db, account: Account, since: Date, known: readonly string[], limit: number): Promise<StoredEvent[]> {
  const rows = await db.query<EventRow>('list_events_since', `
    select id, type, body, recorded_at from events
     where account_id = $1 and livemode = $2 and recorded_at >= $3 and id <> all ($4::text[])
     order by recorded_at, id
     limit $5`, [account.id, account.livemode, since, known, limit]);
  return rows.map(toEvent);
}

interface EventRow {
  id: string;
  type: EventType;
  body: Buffer;
  recorded_at: Date;
}

function toEvent(row: EventRow): StoredEvent {
  return { id: row.id, type: row.type, body: row.body, recordedAt: row.recorded_at };
}
