import { bytea, jsonMembersOf } from '../../platform/db/columns.ts';
import type { Db } from '../../platform/db/db.ts';
import type { IdempotencyClaim } from '../../platform/http/idempotency/claim.ts';
import { claimKeys } from '../../platform/http/idempotency/idempotency-store.ts';
import { insertDeliveries } from '../../settlement/records/event-store.ts';
import type { BuiltSession } from './new-session.ts';
import { SESSION_COLUMN_NAMES, SESSION_COLUMN_TYPES, SESSION_COLUMNS } from './session.ts';

/** Everything one creation writes, computed before the statement. */
export interface Creation extends BuiltSession {
  /** The first event; null if it is recorded with the customer's first choice. */
  event: { id: string; body: Buffer } | null;
  /** The stored response for a replay, if the request carries an Idempotency-Key. */
  claim: (IdempotencyClaim & { answer: Buffer }) | null;
  /** Whether the wallet was chosen as the default, and must still be the default. */
  byDefault: boolean;
  /** The database's real time. */
  recordedAt: Date;
}

/** The result of a creation. Only `created` has written anything. */
export type Outcome = 'created' | 'key_taken' | 'id_taken' | 'wallet_unusable';

/**
 * Writes sessions with their payments, first events, deliveries and stored responses in one statement. A creation whose
 * key is taken, or whose wallet cannot be used any more, writes nothing and does not affect the others. Keys are
 * claimed in order, so that two such statements never deadlock. No key may occur twice in one statement.
 */
export async function insertSessions(db: Db, creations: Creation[], lockTimeoutMs: number): Promise<Outcome[]> {
  const rows = await db.query<{ place: number; outcome: Outcome }>('insert_sessions', INSERT_SESSIONS, [
    `${lockTimeoutMs}ms`,
    `[${creations.map(toRow).join(',')}]`,
  ]);
  const outcomes = new Array<Outcome>(creations.length);
  for (const row of rows) outcomes[row.place] = row.outcome;
  return outcomes;
}

/** Whether new payments may settle to the wallet `w`. */
export const TAKES_PAYMENTS = 'w.archived_at is null and w.unfit is null and not w.unconfirmed';

const INSERT_SESSIONS = `
  with patience as materialized (
    -- Everything below reads from here, so the timeout applies before the first key is claimed.
    select set_config('lock_timeout', $1, true) as lock_timeout
  ),
  asked as materialized (
    select asked.*,
           -- An id derived from a key outlives the key. As a subquery it is one look-up for each session; a join may
           -- read the whole table, because the planner overestimates how many are asked for.
           key is not null and (select earlier.id from checkout_sessions earlier where earlier.id = asked.id) is not null as id_is_taken
      from patience, json_to_recordset($2::json) as asked (
        place integer, ${SESSION_COLUMN_TYPES},
        by_default boolean, recorded_at timestamptz, event_id text, event_body text,
        key text, fingerprint bytea, request_id text, answer text, key_expires_at timestamptz)
     where patience.lock_timeout is not null
  ),
  payable as materialized (
    select asked.*, w.watched_until
      from asked
      join payout_wallets w on w.id = asked.payout_wallet_id and w.account_id = asked.account_id and w.livemode = asked.livemode
     where ${TAKES_PAYMENTS}
       and (w.is_default or not asked.by_default) and not asked.id_is_taken
  ),
  claimed as (${claimKeys('(select *, 201 as status from payable) keyed', '(select max(recorded_at) from asked)')}
  ),
  won as materialized (
    select payable.* from payable where key is null or request_id in (select request_id from claimed)
  ),
  new_sessions as (
    insert into checkout_sessions (${SESSION_COLUMN_NAMES})
    select ${SESSION_COLUMN_NAMES} from won
  ),
  still_watched as (
    -- A wallet is watched until 30 days after the end of its sessions. Written a day ahead, so that most sessions
    -- have nothing to write.
    update payout_wallets w
       set watched_until = ending.expires_at + interval '31 days'
      from (select payout_wallet_id, max(expires_at) as expires_at
              from won
             where livemode and (watched_until is null or watched_until < expires_at + interval '30 days')
             group by payout_wallet_id) ending
     where w.id = ending.payout_wallet_id and (w.watched_until is null or w.watched_until < ending.expires_at + interval '30 days')
  ),
  new_payments as (
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      created_at, expires_at, real_expires_at, is_announced)
    select payment_id, account_id, livemode, id, 'created', 1, 'direct', receive_asset, receive_network, created_at,
      expires_at, nullif(recorded_at + (expires_at - created_at), expires_at), event_id is not null
      from won
  ),
  new_states as (
    insert into payment_states (payment_id, sequence, status, at) select payment_id, 1, 'created', created_at from won
  ),
  new_events as (
    insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    select event_id, account_id, livemode, payment_id, 1, 'payment.created', convert_to(event_body, 'UTF8'), created_at, recorded_at
      from won where event_id is not null
    returning id, account_id, livemode, type, recorded_at
  ),
  new_deliveries as (${insertDeliveries('new_events')}
  )
  select asked.place,
         case when won.id is not null then 'created' when payable.id is not null then 'key_taken'
              when asked.id_is_taken then 'id_taken' else 'wallet_unusable' end as outcome
    from asked left join payable using (id) left join won using (id)`;

const sessionMembers = jsonMembersOf(SESSION_COLUMNS);

function toRow({ session, event, claim, byDefault, recordedAt }: Creation, place: number): string {
  const rest = JSON.stringify({
    place,
    by_default: byDefault,
    recorded_at: recordedAt,
    event_id: event?.id ?? null,
    event_body: event?.body.toString() ?? null,
    key: claim?.key,
    fingerprint: claim && bytea(claim.fingerprint),
    request_id: claim?.requestId,
    answer: claim?.answer.toString(),
    key_expires_at: claim?.expiresAt,
  });
  return `{${sessionMembers(session)},${rest.slice(1)}`;
}
