import type { WebhookEventType } from '@quittance/contract';
import type { Account } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { Position } from '../../../platform/http/in-steps.ts';

/**
 * A delivery as its merchant sees it. Instants are in the account's time, except the two that queues and lists are
 * sorted by.
 */
export interface Delivery {
  id: string;
  livemode: boolean;
  endpointId: string;
  eventId: string;
  eventType: WebhookEventType;
  state: DeliveryState;
  attempts: number;
  lastResponseCode: number | null;
  lastError: string | null;
  /** Real time. */
  dueAt: Date | null;
  recordedAt: Date;
  eventCreatedAt: Date;
  finishedAt: Date | null;
}

export type DeliveryState = 'pending' | 'parked' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryAttempt {
  id: string;
  number: number;
  kind: 'scheduled' | 'manual';
  outcome: 'delivered' | 'failed';
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
  durationMs: number;
  attemptedAt: Date;
}

/** A row of `d`, its event and its last attempt. */
const COLUMNS = `
  d.id, d.livemode, d.endpoint_id, d.event_id, d.event_type, d.state, d.attempts, d.due_at, d.recorded_at, d.finished_at,
  event.created_at as event_created_at, last.response_code as last_response_code,
  last.error as last_error`;

export async function findDelivery(db: Db, account: Account, id: string): Promise<Delivery | undefined> {
  const [row] = await db.query<Delivery>(
    'find_delivery',
    `
    select ${COLUMNS}
      from deliveries d
      join events event on event.recorded_at = d.event_recorded_at and event.id = d.event_id
      left join lateral (
        select response_code, error from delivery_attempts where delivery_id = d.id order by recorded_at desc limit 1
      ) last on true
     where d.id = $1 and d.account_id = $2 and d.livemode = $3`,
    [id, account.id, account.livemode],
  );
  return row;
}

export async function listDeliveries(
  db: Db,
  account: Account,
  { endpointId, state }: { endpointId: string; state: DeliveryState | null },
  page: { after: Position | null; limit: number },
): Promise<Delivery[]> {
  return queryPage(db, state, [
    account.id,
    account.livemode,
    endpointId,
    page.after?.createdAt ?? null,
    page.after?.id ?? null,
    page.limit,
  ]);
}

// Waiting and failed deliveries are few and have their own partial indexes, which a prepared plan uses only if the
// statement contains the state as text.
function queryPage(db: Db, state: DeliveryState | null, values: unknown[]): Promise<Delivery[]> {
  switch (state) {
    case null:
      return db.query<Delivery>('list_deliveries', pageOf('true'), values);
    case 'pending':
      return db.query<Delivery>('list_pending_deliveries', pageOf(`d.state = 'pending'`), values);
    case 'parked':
      return db.query<Delivery>('list_parked_deliveries', pageOf(`d.state = 'parked'`), values);
    case 'failed':
      return db.query<Delivery>('list_failed_deliveries', pageOf(`d.state = 'failed'`), values);
    default:
      return db.query<Delivery>('list_deliveries_of_state', pageOf('d.state = $7'), [...values, state]);
  }
}

// Finds the page first, then loads it row by row. The number in the text gives a prepared plan the size of the page.
function pageOf(condition: string): string {
  return `
    select ${COLUMNS}
      from (
             select * from deliveries d
              where d.endpoint_id = $3 and d.account_id = $1 and d.livemode = $2 and ${condition}
                and (d.recorded_at, d.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::text, ''))
              order by d.recorded_at desc, d.id desc
              limit 101
           ) d
     cross join lateral (
             select created_at from events where recorded_at = d.event_recorded_at and id = d.event_id limit 1
           ) event
      left join lateral (
             select response_code, error from delivery_attempts where delivery_id = d.id order by recorded_at desc limit 1
           ) last on true
     order by d.recorded_at desc, d.id desc
     limit $6`;
}

/** An attempt keeps up to 2 kB of its response, and a merchant may ask for any number of attempts. */
const MAX_ATTEMPTS_SHOWN = 100;

/** The newest, oldest first. */
export async function listAttempts(db: Db, deliveryId: string): Promise<DeliveryAttempt[]> {
  const newestFirst = await db.query<DeliveryAttempt>(
    'list_attempts',
    `
    select id, number, kind, outcome, response_code, response_body, error, duration_ms, attempted_at
      from delivery_attempts where delivery_id = $1 order by recorded_at desc, number desc limit $2`,
    [deliveryId, MAX_ATTEMPTS_SHOWN],
  );
  return newestFirst.toReversed();
}

/**
 * Makes it due now, outside the schedule; if that fails, its previous state returns. Not while an attempt is in flight.
 */
export async function sendAgain(db: Db, account: Account, id: string, now: Date): Promise<void> {
  await db.query(
    'send_again',
    `
    update deliveries
       set resume_state = coalesce(resume_state, state), resume_due_at = case when resume_state is null then due_at else resume_due_at end,
           state = 'pending', due_at = $4
     where id = $1 and account_id = $2 and livemode = $3 and state <> 'cancelled'
       and not exists (select from delivery_leases lease where lease.delivery_id = deliveries.id and lease.until > $4)`,
    [id, account.id, account.livemode, now],
  );
}

/** The same for every failed delivery since an instant of the account's time. */
export async function sendFailedAgain(
  db: Db,
  account: Account,
  { endpointId, since, now }: { endpointId: string; since: Date; now: Date },
): Promise<number> {
  const rows = await db.query(
    'send_failed_again',
    `
    update deliveries set resume_state = 'failed', resume_due_at = null, state = 'pending', due_at = $5
     where endpoint_id = $3 and account_id = $1 and livemode = $2 and state = 'failed' and finished_at >= $4
    returning id`,
    [account.id, account.livemode, endpointId, since, now],
  );
  return rows.length;
}
