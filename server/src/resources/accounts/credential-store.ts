import type { Defaults } from '../../platform/caller.ts';
import type { Database, Db } from '../../platform/db/db.ts';
import { joined } from '../../platform/db/joined.ts';

export interface FoundRow {
  hash: Buffer;
  accountId: string;
  hasEmail: boolean;
  testClockOffsetMs: bigint;
  sessionDefaults: Defaults;
  lastUsedAt: Date | null;
  realNow: Date;
}

interface KeyRow extends FoundRow {
  keyId: string;
  scopes: string[] | null;
  livemode: boolean;
  /** Of the secret before the last rotation: when it stops working. */
  expiresAt: Date | null;
}

export interface TokenRow extends FoundRow {
  lastUsedAt: Date;
  expiresAt: Date;
}

export const findKeys = joined<Database, Buffer, KeyRow | undefined>(
  async (db, hashes) => {
    const rows = await db.query<KeyRow>(
      'find_callers_by_key',
      `
    select k.secret_hash as hash, k.id as key_id, k.livemode, k.scopes, k.last_used_at, a.id as account_id,
      a.email is not null as has_email,
           a.test_clock_offset_ms, a.session_defaults, date_trunc('milliseconds', clock_timestamp()) as real_now,
           null::timestamptz as expires_at
      from api_keys k join accounts a on a.id = k.account_id
     where k.secret_hash = any($1::bytea[]) and k.revoked_at is null
     union all
    select k.previous_hash, k.id, k.livemode, k.scopes, k.last_used_at, a.id, a.email is not null,
           a.test_clock_offset_ms, a.session_defaults, date_trunc('milliseconds', clock_timestamp()),
           k.previous_expires_at
      from api_keys k join accounts a on a.id = k.account_id
     where k.previous_hash = any($1::bytea[]) and k.revoked_at is null`,
      [hashes],
    );
    return matched(hashes, rows);
  },
  { runs: 4, maxCalls: 100 },
);

export const findTokens = joined<Database, Buffer, TokenRow | undefined>(
  async (db, hashes) => {
    const rows = await db.query<TokenRow>(
      'find_callers_by_token',
      `
    select t.token_hash as hash, t.last_used_at, t.expires_at, a.id as account_id, a.email is not null as has_email,
           a.test_clock_offset_ms, a.session_defaults, date_trunc('milliseconds', clock_timestamp()) as real_now
      from login_tokens t join accounts a on a.id = t.account_id
     where t.token_hash = any($1::bytea[])`,
      [hashes],
    );
    return matched(hashes, rows);
  },
  { runs: 4, maxCalls: 100 },
);

/** The row of each hash, in the order of the hashes. */
function matched<Row extends FoundRow>(hashes: Buffer[], rows: Row[]): (Row | undefined)[] {
  const byHash = new Map(rows.map((row) => [row.hash.toString('base64'), row]));
  return hashes.map((hash) => byHash.get(hash.toString('base64')));
}

export function noteKeyUse(db: Database, hash: Buffer, now: Date): Promise<unknown> {
  return db.query('note_key_use', `update api_keys set last_used_at = $2 where secret_hash = $1`, [hash, now]);
}

export function noteTokenUse(db: Database, hash: Buffer, now: Date): Promise<unknown> {
  return db.query('note_token_use', `update login_tokens set last_used_at = $2 where token_hash = $1`, [hash, now]);
}

/** The hashes, in hex, of those credentials that are still valid. Used by responses that stay open. */
export async function findAliveCredentials(db: Db, hashes: readonly Buffer[], now: Date): Promise<Set<string>> {
  const rows = await db.query<{ hash: string }>(
    'find_alive_credentials',
    `
    select encode(secret_hash, 'hex') as hash from api_keys where secret_hash = any($1::bytea[]) and revoked_at is null
     union all
    select encode(previous_hash, 'hex') from api_keys where previous_hash = any($1::bytea[]) and revoked_at is null
      and previous_expires_at > $2
     union all
    select encode(token_hash, 'hex') from login_tokens where token_hash = any($1::bytea[]) and expires_at > $2`,
    [hashes, now],
  );
  return new Set(rows.map(({ hash }) => hash));
}
