import type { Buffer } from 'node:buffer';
import type { WebhookEventType } from '@quittance/contract';
import type { Account } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { Position } from '../../../platform/http/in-steps.ts';

export interface StoredEvent {
  id: string;
  type: WebhookEventType;
  body: Buffer;
  recordedAt: Date;
}

/** Events of refunds are for those who ask for their types, in the list as at an endpoint. */
const OF_PAYMENTS = `type like 'payment.%'`;

export async function findEvent(db: Db, account: Account, id: string): Promise<StoredEvent | undefined> {
  const [row] = await db.query<StoredEvent>(
    'find_event',
    `
    select id, type, body, recorded_at from events
     where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row;
}

/** Newest first. */
export async function listEvents(
  db: Db,
  account: Account,
  filter: { type: WebhookEventType | null; payment: string | null },
  page: { after: Position | null; limit: number },
): Promise<StoredEvent[]> {
  const values = [account.id, account.livemode, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit];
  const common = `
    select id, type, body, recorded_at from events
     where account_id = $1 and livemode = $2
       and (recorded_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))`;
  const order = 'order by recorded_at desc, id desc limit $5';
  // An account has many events, few of some types, and few per payment, so each filter has its own index.
  if (filter.payment !== null)
    return db.query<StoredEvent>(
      'list_events_of_payment',
      `${common} and object_id = $6 and ($7::text is null or type = $7) ${order}`,
      [...values, filter.payment, filter.type],
    );
  if (filter.type !== null)
    return db.query<StoredEvent>('list_events_of_type', `${common} and type = $6 ${order}`, [...values, filter.type]);
  return db.query<StoredEvent>('list_events', `${common} and ${OF_PAYMENTS} ${order}`, values);
}

/** The committed events of a period. */
export async function listEventsBetween(
  db: Db,
  account: Account,
  { since, until }: { since: Date; until: Date },
): Promise<Pick<StoredEvent, 'id' | 'recordedAt'>[]> {
  return db.query<Pick<StoredEvent, 'id' | 'recordedAt'>>(
    'list_events_between',
    `
    select id, recorded_at from events
     where account_id = $1 and livemode = $2 and recorded_at >= $3 and recorded_at < $4 and ${OF_PAYMENTS}`,
    [account.id, account.livemode, since, until],
  );
}

/** Events recorded at or after `since`, oldest first, without those whose ids are in `excludedIds`. */
export async function listEventsSince(
  db: Db,
  account: Account,
  { since, excludedIds, limit }: { since: Date; excludedIds: readonly string[]; limit: number },
): Promise<StoredEvent[]> {
  return db.query<StoredEvent>(
    'list_events_since',
    `
    select id, type, body, recorded_at from events
     where account_id = $1 and livemode = $2 and recorded_at >= $3 and id <> all ($4::text[]) and ${OF_PAYMENTS}
     order by recorded_at, id
     limit $5`,
    [account.id, account.livemode, since, excludedIds, limit],
  );
}
