import type { Scope } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';

export interface ApiKey {
  id: string;
  accountId: string;
  livemode: boolean;
  label: string | null;
  last4: string;
  /** Null for a key with every scope. */
  scopes: Scope[] | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Until when the secret before the last rotation works, or worked. */
  previousExpiresAt: Date | null;
}

const COLUMNS = 'id, account_id, livemode, label, last4, scopes, created_at, last_used_at, previous_expires_at';

export async function insertKey(db: Db, key: ApiKey, secretHash: Buffer): Promise<void> {
  await db.query(
    'insert_key',
    `
    insert into api_keys (id, account_id, livemode, label, secret_hash, last4, created_at, scopes)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [key.id, key.accountId, key.livemode, key.label, secretHash, key.last4, key.createdAt, key.scopes],
  );
}

/** A valid key of the account. */
export async function findKey(db: Db, accountId: string, id: string): Promise<ApiKey | undefined> {
  const [row] = await db.query<ApiKey>(
    'find_key',
    `
    select ${COLUMNS} from api_keys where id = $1 and account_id = $2 and revoked_at is null`,
    [id, accountId],
  );
  return row;
}

/** The valid keys, newest first; of both modes if none is named. */
export async function listKeys(
  db: Db,
  accountId: string,
  page: { livemode: boolean | null; after: { createdAt: Date; id: string } | null; limit: number },
): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    'list_keys',
    `
    select k.*
      from unnest($2::boolean[]) as mode (livemode)
     cross join lateral (
             select ${COLUMNS} from api_keys
              where account_id = $1 and livemode = mode.livemode and revoked_at is null
                and (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))
              order by created_at desc, id desc
              limit 101
           ) k
     order by k.created_at desc, k.id desc
     limit $5`,
    [
      accountId,
      page.livemode === null ? [true, false] : [page.livemode],
      page.after?.createdAt ?? null,
      page.after?.id ?? null,
      page.limit,
    ],
  );
}

/** Replaces the secret. The old one works until this time, if there is one; an older one is unknown from the commit on. */
export async function replaceSecret(
  db: Db,
  key: { id: string; accountId: string; secretHash: Buffer; last4: string; previousExpiresAt: Date | null },
): Promise<ApiKey | undefined> {
  const [row] = await db.query<ApiKey>(
    'replace_secret',
    `
    update api_keys set secret_hash = $3, last4 = $4, last_used_at = null, previous_expires_at = $5::timestamptz,
           previous_hash = case when $5::timestamptz is null then null else secret_hash end
     where id = $1 and account_id = $2 and revoked_at is null
    returning ${COLUMNS}`,
    [key.id, key.accountId, key.secretHash, key.last4, key.previousExpiresAt],
  );
  return row;
}

/** False if the key does not exist or was revoked before. */
export async function revokeKey(db: Db, key: { id: string; accountId: string; now: Date }): Promise<boolean> {
  const rows = await db.query(
    'revoke_key',
    `
    update api_keys set revoked_at = $3
     where id = $1 and account_id = $2 and revoked_at is null
    returning id`,
    [key.id, key.accountId, key.now],
  );
  return rows.length > 0;
}
