import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import type { LoggedRequestJson } from '@quittance/contract/dashboard';

export interface LoggedRequest {
  id: string;
  accountId: string;
  livemode: boolean;
  keyId: string | null;
  method: string;
  path: string;
  status: number;
  code: string | null;
  durationMs: number;
  idempotencyKey: string | null;
  at: Date;
}

export async function insertRequests(db: Db, requests: readonly LoggedRequest[]): Promise<void> {
  await db.query(
    'insert_requests',
    `
    insert into request_log (id, account_id, livemode, key_id, method, path, status, code, duration_ms, idempotency_key, at)
    select * from unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::text[], $6::text[], $7::integer[],
      $8::text[], $9::integer[], $10::text[], $11::timestamptz[])
    on conflict do nothing`,
    [
      requests.map(({ id }) => id),
      requests.map(({ accountId }) => accountId),
      requests.map(({ livemode }) => livemode),
      requests.map(({ keyId }) => keyId),
      requests.map(({ method }) => method),
      requests.map(({ path }) => path),
      requests.map(({ status }) => status),
      requests.map(({ code }) => code),
      requests.map(({ durationMs }) => durationMs),
      requests.map(({ idempotencyKey }) => idempotencyKey),
      requests.map(({ at }) => at),
    ],
  );
}

export interface RequestRow {
  id: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  durationMs: number;
  keyId: string | null;
  label: string | null;
  last4: string | null;
  idempotencyKey: string | null;
  at: Date;
}

export async function listLogged(
  db: Db,
  account: Account,
  failed: boolean,
  page: { after: Position | null; limit: number },
): Promise<RequestRow[]> {
  return db.query<RequestRow>(
    'list_logged_requests',
    `
    select r.id, r.method, r.path, r.status, r.code, r.duration_ms, r.key_id, k.label, k.last4, r.idempotency_key, r.at
      from request_log r left join api_keys k on k.id = r.key_id and k.account_id = r.account_id
     where r.account_id = $1 and r.livemode = $2 and (not $3 or r.status >= 400)
       and (r.at, r.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::text, ''))
     order by r.at desc, r.id desc
     limit $6`,
    [account.id, account.livemode, failed, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit],
  );
}

export async function findLogged(db: Db, account: Account, id: string): Promise<Position | undefined> {
  const [row] = await db.query<{ at: Date; id: string }>(
    'find_logged_request',
    `
    select at, id from request_log where id = $3 and account_id = $1 and livemode = $2`,
    [account.id, account.livemode, id],
  );
  return row && { createdAt: row.at, id: row.id };
}

export function presentLogged(row: RequestRow): LoggedRequestJson {
  return {
    id: row.id,
    method: row.method,
    path: row.path,
    status: row.status,
    code: row.code,
    duration_ms: row.durationMs,
    key: row.keyId !== null && row.last4 !== null ? { id: row.keyId, label: row.label, last4: row.last4 } : null,
    idempotency_key: row.idempotencyKey,
    at: row.at.toISOString(),
  };
}

/** Deletes a batch of requests before an instant, and each account's oldest beyond its share; returns how many. */
export async function deleteRequestsBefore(
  db: Db,
  instant: Date,
  keep: { perAccount: number; total: number },
  limit: number,
): Promise<number> {
  const sizes = await db.query<{ accountId: string; livemode: boolean; rows: number }>(
    'count_logged_requests',
    `
    select account_id, livemode, count(*)::integer as rows from request_log group by account_id, livemode`,
    [],
  );
  const kept = keptPerAccount(
    sizes.map((size) => size.rows),
    keep,
  );
  const over = sizes.filter((size) => size.rows > kept);
  const rows = await db.query(
    'delete_requests_before',
    `
    delete from request_log
     where id = any(array(
       (select id from request_log where at < $1 order by at limit $2)
       union all
       (select oldest.id
          from unnest($3::text[], $4::boolean[], $5::integer[]) as over (account_id, livemode, excess),
               lateral (select id from request_log r
                         where r.account_id = over.account_id and r.livemode = over.livemode
                         order by r.at, r.id limit over.excess) as oldest
         limit $2)))
    returning id`,
    [
      instant,
      limit,
      over.map((size) => size.accountId),
      over.map((size) => size.livemode),
      over.map((size) => size.rows - kept),
    ],
  );
  return rows.length;
}

/**
 * How many rows each account keeps per mode, so that the total stays within its limit. The largest accounts lose rows
 * first.
 */
export function keptPerAccount(sizes: readonly number[], keep: { perAccount: number; total: number }): number {
  let left = keep.total;
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [at, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (size > share) return Math.min(share, keep.perAccount);
    left -= size;
  }
  return keep.perAccount;
}
