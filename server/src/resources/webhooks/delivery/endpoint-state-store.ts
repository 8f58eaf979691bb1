import type { Db } from '../../../platform/db/db.ts';
import { type Lane, STORED_LANES } from './delivery.ts';
import type { FailingEndpoint } from './failure-mail.ts';

/** Stores the lanes of endpoints. A healthy endpoint's merchant is warned again at the next failure. */
export async function setLanes(db: Db, lanes: ReadonlyMap<string, Lane>): Promise<void> {
  const sorted = [...lanes].sort(([one], [other]) => (one < other ? -1 : 1));
  await db.query(
    'set_lanes',
    `
    update webhook_endpoints endpoint
       set lane = changed.lane, warned_at = case when changed.lane = 'good' then null else endpoint.warned_at end
      from unnest($1::text[], $2::text[]) as changed (id, lane)
     where endpoint.id = changed.id and endpoint.lane <> changed.lane`,
    [sorted.map(([id]) => id), sorted.map(([, lane]) => STORED_LANES[lane])],
  );
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

export function markWarned(db: Db, id: string, at: Date): Promise<FailingEndpoint[]> {
  return db.query(
    'mark_endpoint_warned',
    `
    update webhook_endpoints endpoint set warned_at = $2
      from accounts account
     where endpoint.id = $1 and endpoint.warned_at is null and endpoint.deleted_at is null and account.id = endpoint.account_id
    returning endpoint.id, endpoint.url, endpoint.livemode, account.email`,
    [id, at],
  );
}
