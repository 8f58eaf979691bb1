import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';

/** Whether the credential that a request came with would still be let in: for answers that go on for long. */
export async function isCredentialAlive(db: Db, caller: Caller, hash: Buffer, now: Date): Promise<boolean> {
  const rows =
    caller.via === 'key'
      ? await db.query('is_key_alive', `select 1 from api_keys where secret_hash = $1 and revoked_at is null`, [hash])
      : await db.query('is_token_alive', `select 1 from login_tokens where token_hash = $1 and expires_at > $2`, [
          hash,
          now,
        ]);
  return rows.length > 0;
}
