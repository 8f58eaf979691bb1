import type { Logger } from 'pino';
import type { Caller, Defaults } from '../../platform/caller.ts';
import type { Database } from '../../platform/db/db.ts';
import { joined } from '../../platform/db/joined.ts';
import type { CredentialStore } from '../../platform/http/admission/authenticate.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { LOGIN_IDLE_MS } from './login-token.ts';

const LAST_USED_STEP_MS = MINUTE_MS;

/**
 * Finds who is behind a credential: one look at the database per request, so that a revoked one is refused at once. The same look
 * brings the time. Requests that come together share a look that starts after all of them.
 */
export function createCredentialStore(db: Database, log: Logger): CredentialStore {
  const noting = new Set<string>();

  /** Notes the use, at most once a minute, without anybody waiting for it. */
  function touch(
    hash: Buffer,
    used: { lastUsedAt: Date | null; now: Date },
    write: (hash: Buffer, now: Date) => Promise<unknown>,
  ): void {
    const isFresh = used.lastUsedAt !== null && used.now.getTime() - used.lastUsedAt.getTime() < LAST_USED_STEP_MS;
    const key = hash.toString('base64');
    if (isFresh || noting.has(key)) return;
    noting.add(key);
    write(hash, used.now)
      .catch((error) => log.warn({ err: error }, 'credential use not recorded'))
      .finally(() => noting.delete(key));
  }

  return {
    async findByKeyHash(hash) {
      const row = await findKeys(db, hash);
      if (!row) return undefined;
      touch(hash, { lastUsedAt: row.last_used_at, now: row.real_now }, (used, now) => noteKeyUse(db, used, now));
      return toCaller(row, { livemode: row.livemode, via: 'key', keyId: row.key_id, scopes: row.scopes });
    },
    async findByTokenHash(hash, livemode) {
      const row = await findTokens(db, hash);
      if (!row || isOver(row)) return undefined;
      touch(hash, { lastUsedAt: row.last_used_at, now: row.real_now }, (used, now) => noteTokenUse(db, used, now));
      return toCaller(row, { livemode, via: 'login', keyId: null, scopes: null });
    },
  };
}

interface FoundRow {
  hash: Buffer;
  account_id: string;
  has_email: boolean;
  test_clock_offset_ms: bigint;
  session_defaults: Defaults;
  last_used_at: Date | null;
  real_now: Date;
}

interface KeyRow extends FoundRow {
  key_id: string;
  scopes: string[] | null;
  livemode: boolean;
}

interface TokenRow extends FoundRow {
  last_used_at: Date;
  expires_at: Date;
}

function toCaller(row: FoundRow, how: Pick<Caller, 'livemode' | 'via' | 'keyId' | 'scopes'>): Caller {
  return {
    id: row.account_id,
    ...how,
    loginMethod: row.has_email ? 'email' : 'wallet',
    defaults: row.session_defaults,
    now: how.livemode ? row.real_now : later(row.real_now, Number(row.test_clock_offset_ms)),
    realNow: row.real_now,
  };
}

function isOver(token: TokenRow): boolean {
  return token.expires_at <= token.real_now || token.real_now.getTime() - token.last_used_at.getTime() >= LOGIN_IDLE_MS;
}

const findKeys = joined<Database, Buffer, KeyRow | undefined>(
  async (db, hashes) => {
    const rows = await db.query<KeyRow>(
      'find_callers_by_key',
      `
    select k.secret_hash as hash, k.id as key_id, k.livemode, k.scopes, k.last_used_at, a.id as account_id, a.email is not null as has_email,
           a.test_clock_offset_ms, a.session_defaults, date_trunc('milliseconds', clock_timestamp()) as real_now
      from api_keys k join accounts a on a.id = k.account_id
     where k.secret_hash = any($1::bytea[]) and k.revoked_at is null`,
      [hashes],
    );
    return matched(hashes, rows);
  },
  { runs: 4, most: 100 },
);

const findTokens = joined<Database, Buffer, TokenRow | undefined>(
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
  { runs: 4, most: 100 },
);

/** The row of each hash, in the order of the hashes. */
function matched<Row extends FoundRow>(hashes: Buffer[], rows: Row[]): (Row | undefined)[] {
  const byHash = new Map(rows.map((row) => [row.hash.toString('base64'), row]));
  return hashes.map((hash) => byHash.get(hash.toString('base64')));
}

function noteKeyUse(db: Database, hash: Buffer, now: Date): Promise<unknown> {
  return db.query('note_key_use', `update api_keys set last_used_at = $2 where secret_hash = $1`, [hash, now]);
}

function noteTokenUse(db: Database, hash: Buffer, now: Date): Promise<unknown> {
  return db.query('note_token_use', `update login_tokens set last_used_at = $2 where token_hash = $1`, [hash, now]);
}
