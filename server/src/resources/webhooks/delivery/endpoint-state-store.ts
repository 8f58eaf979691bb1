import type { Account } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { Lane } from './delivery.ts';

export interface FailingEndpoint {
  id: string;
  url: string;
  livemode: boolean;
  /** Null for accounts that log in with a wallet. */
  email: string | null;
}

/** Stores the lanes of endpoints. */
export async function setLanes(db: Db, lanes: ReadonlyMap<string, Lane>): Promise<void> {
  const sorted = [...lanes].sort(([one], [other]) => (one < other ? -1 : 1));
  await db.query(
    'set_lanes',
    `
    update webhook_endpoints endpoint
       set lane = changed.lane
      from unnest($1::text[], $2::text[]) as changed (id, lane)
     where endpoint.id = changed.id and endpoint.lane <> changed.lane`,
    [sorted.map(([id]) => id), sorted.map(([, lane]) => lane)],
  );
}

/** The endpoints of an account that accept deliveries. */
export async function openEndpoints(db: Db, account: Account): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'open_endpoints',
    `
    select id from webhook_endpoints
     where account_id = $1 and livemode = $2 and status = 'active' and deleted_at is null`,
    [account.id, account.livemode],
  );
  return rows.map(({ id }) => id);
}

/** Those of these endpoints that accept no more deliveries. */
export function closedEndpoints(db: Db, ids: readonly string[]): Promise<{ id: string; deleted: boolean }[]> {
  return db.query(
    'closed_endpoints',
    `
    select id, deleted_at is not null as deleted from webhook_endpoints
     where id = any ($1) and (deleted_at is not null or status = 'disabled')`,
    [ids],
  );
}

export function disableEndpoint(db: Db, id: string, at: Date): Promise<FailingEndpoint[]> {
  return db.query(
    'disable_endpoint',
    `
    update webhook_endpoints endpoint set status = 'disabled', disabled_at = $2, lane = 'slow'
      from accounts account
     where endpoint.id = $1 and endpoint.status = 'active' and endpoint.deleted_at is null and account.id = endpoint.account_id
    returning endpoint.id, endpoint.url, endpoint.livemode, account.email`,
    [id, at],
  );
}

/**
 * Marks an endpoint as warned at this instant, unless its merchant was warned of it, or of `maxWarned` endpoints of its
 * account and mode, since an earlier one.
 */
export function markWarned(
  db: Db,
  id: string,
  { at, since, maxWarned }: { at: Date; since: Date; maxWarned: number },
): Promise<FailingEndpoint[]> {
  return db.query(
    'mark_endpoint_warned',
    `
    update webhook_endpoints endpoint set warned_at = $2
      from accounts account
     where endpoint.id = $1 and (endpoint.warned_at is null or endpoint.warned_at <= $3) and endpoint.deleted_at is null
       and account.id = endpoint.account_id
       and (select count(*) from webhook_endpoints warned
             where warned.account_id = endpoint.account_id and warned.livemode = endpoint.livemode and warned.warned_at > $3) < $4
    returning endpoint.id, endpoint.url, endpoint.livemode, account.email`,
    [id, at, since, maxWarned],
  );
}

/** The dead letters since an instant of all endpoints of this endpoint's account and mode, counted up to a limit. */
export async function countDeadLetters(db: Db, id: string, since: Date, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'count_dead_letters',
    `
    select count(*)::integer as count
      from (select from webhook_endpoints endpoint
              join webhook_endpoints other on other.account_id = endpoint.account_id and other.livemode = endpoint.livemode
              join deliveries d on d.endpoint_id = other.id and d.state = 'failed' and d.finished_at > $2
             where endpoint.id = $1
             limit $3) counted`,
    [id, since, limit],
  );
  return row?.count ?? 0;
}
