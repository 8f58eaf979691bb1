import type { Db } from '../../platform/db/db.ts';

export type LoginMethod = 'email' | 'wallet' | 'link';

export async function insertToken(
  db: Db,
  token: { hash: Buffer; accountId: string; method: LoginMethod; now: Date; expiresAt: Date },
): Promise<void> {
  await db.query(
    'insert_token',
    `
    insert into login_tokens (token_hash, account_id, method, created_at, last_used_at, expires_at)
    values ($1, $2, $3, $4, $4, $5)`,
    [token.hash, token.accountId, token.method, token.now, token.expiresAt],
  );
}

/** Ends this login: its token is rejected from the next request on. */
export async function deleteToken(db: Db, accountId: string, hash: Buffer): Promise<void> {
  await db.query('delete_token', `delete from login_tokens where token_hash = $2 and account_id = $1`, [
    accountId,
    hash,
  ]);
}

/** Ends every login of the account, including this one. Secret keys stay valid. */
export async function deleteTokensOfAccount(db: Db, accountId: string): Promise<void> {
  await db.query('delete_tokens_of_account', `delete from login_tokens where account_id = $1`, [accountId]);
}

export async function insertLoginLink(
  db: Db,
  link: { hash: Buffer; accountId: string; now: Date; expiresAt: Date },
): Promise<void> {
  await db.query(
    'insert_login_link',
    `
    insert into login_links (token_hash, account_id, created_at, expires_at)
    values ($1, $2, $3, $4)`,
    [link.hash, link.accountId, link.now, link.expiresAt],
  );
}

/** The account that the link logs into. Deletes the link. */
export async function takeLoginLink(db: Db, hash: Buffer, now: Date): Promise<string | undefined> {
  const [row] = await db.query<{ accountId: string }>(
    'take_login_link',
    `
    delete from login_links where token_hash = $1 and expires_at > $2
    returning account_id`,
    [hash, now],
  );
  return row?.accountId;
}

/** Deletes a batch; returns how many. */
export async function deleteExpiredTokens(db: Db, now: Date, idleSince: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_tokens',
    `
    delete from login_tokens
     where token_hash in (select token_hash from login_tokens where expires_at <= $1 or last_used_at <= $2
                           limit $3 for update skip locked)
    returning account_id`,
    [now, idleSince, limit],
  );
  return rows.length;
}

/** Deletes a batch; returns how many. */
export async function deleteExpiredLinks(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_links',
    `
    delete from login_links where token_hash in (select token_hash from login_links where expires_at <= $1 limit $2) returning account_id`,
    [now, limit],
  );
  return rows.length;
}
