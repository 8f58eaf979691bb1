import type { Db } from '../../../platform/db/db.ts';

/** Waiting deliveries of an account, parked or pending. Beyond this limit none of its long queues grows. */
export const MAX_WAITING_PER_ACCOUNT = 100_000;

/** An endpoint and its queue. */
export interface Queue {
  endpointId: string;
  accountId: string;
  status: 'active' | 'disabled';
  collects: boolean;
  waiting: number;
}

// Counts up to an account's limit only, so that a long queue costs no more than that.
export function listQueues(db: Db): Promise<Queue[]> {
  return db.query<Queue>(
    'list_queues',
    `
    select e.id as "endpointId", e.account_id as "accountId", e.status, e.collects, pending.count + parked.count as waiting
      from webhook_endpoints e
     cross join lateral (
       select count(*)::integer as count from (
         select from deliveries d where d.endpoint_id = e.id and d.state = 'pending' limit ${MAX_WAITING_PER_ACCOUNT}) counted
     ) pending
     cross join lateral (
       select count(*)::integer as count from (
         select from deliveries d where d.endpoint_id = e.id and d.state = 'parked' limit ${MAX_WAITING_PER_ACCOUNT}) counted
     ) parked
     where e.deleted_at is null and (not e.collects or pending.count + parked.count > 0)`,
  );
}

/** Counts the events that full endpoints have missed since the last count. */
export async function countUncollected(db: Db, now: Date): Promise<void> {
  await db.query(
    'count_uncollected',
    `
    update webhook_endpoints e
       set counted_until = $1,
           uncollected = uncollected + (
             select count(*) from events v
              where v.account_id = e.account_id and v.livemode = e.livemode and v.type = any(e.events)
                and v.recorded_at > e.counted_until and v.recorded_at <= $1)
     where not e.collects and e.deleted_at is null and e.counted_until < $1`,
    [now],
  );
}

/** `fullSince` is null for endpoints that collect again. Returns the changed endpoints. */
export function setCollecting(
  db: Db,
  endpointIds: readonly string[],
  fullSince: Date | null,
): Promise<{ id: string; url: string; email: string | null }[]> {
  return db.query(
    'set_collecting',
    `
    update webhook_endpoints e set collects = $2::timestamptz is null, counted_until = $2
      from accounts a
     where e.id = any($1) and e.collects = ($2::timestamptz is not null) and e.deleted_at is null and a.id = e.account_id
    returning e.id, e.url, a.email`,
    [[...endpointIds].sort(), fullSince],
  );
}
