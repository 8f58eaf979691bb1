import type { Db } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import type { Secrets } from '../../secrets.ts';
import type { IdempotencyClaim, KeyedAnswer } from './claim.ts';

interface StoredRow {
  fingerprint: Buffer;
  requestId: string;
  status: number | null;
  body: Buffer | null;
  sealed: boolean;
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Claims keys for the rows of a table expression, and returns the `request_id` of each granted claim: the key was free,
 * or its answer had expired by `now`. Waits for a key that another transaction holds, until its end or the lock
 * timeout. Claims are made in the order of their keys, so that two statements never deadlock. No key may occur twice.
 * The rows have account_id, livemode, key, fingerprint, request_id, key_expires_at, and status and answer if these are
 * known.
 */
export function claimKeys(rows: string, now: string): string {
  return `
    insert into idempotency_keys as held (account_id, livemode, key, fingerprint, request_id, status, body, expires_at)
    select account_id, livemode, key, fingerprint, request_id, status, convert_to(answer, 'UTF8'), key_expires_at
      from ${rows} where key is not null
     order by account_id, livemode, key
        on conflict (account_id, livemode, key) do update
       set fingerprint = excluded.fingerprint, request_id = excluded.request_id, status = excluded.status, body = excluded.body,
           sealed = false, expires_at = excluded.expires_at
     where held.expires_at <= ${now}
    returning request_id`;
}

/**
 * Claims the key for this transaction: true if it was free or its answer has expired. If another transaction holds it,
 * this waits for that one's end, at most for the timeout; afterwards the key is claimed or free.
 */
export async function claimKey(db: Db, claim: IdempotencyClaim, lockTimeoutMs: number): Promise<boolean> {
  try {
    const rows = await db.query(
      'claim_idempotency_key',
      `
      with claiming as materialized (
        select $1::text as account_id, $2::boolean as livemode, $3::text as key, $4::bytea as fingerprint, $5::text as request_id,
               null::integer as status, null::text as answer, $6::timestamptz as key_expires_at
         where set_config('lock_timeout', $8, true) is not null)
      ${claimKeys('claiming', '$7')}`,
      [
        claim.accountId,
        claim.livemode,
        claim.key,
        claim.fingerprint,
        claim.requestId,
        claim.expiresAt,
        claim.now,
        String(Math.max(Math.round(lockTimeoutMs), 1)),
      ],
    );
    return rows.length === 1;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE)
      fail('idempotency_in_progress', { retryAfterSeconds: 1, cause: error });
    throw error;
  }
}

/** The answer of a key, if it has not expired. */
export async function findStored(db: Db, claim: IdempotencyClaim): Promise<StoredRow | undefined> {
  const [row] = await db.query<StoredRow>(
    'find_idempotent_answer',
    `
    select fingerprint, request_id, status, body, sealed from idempotency_keys
     where account_id = $1 and livemode = $2 and key = $3 and expires_at > $4`,
    [claim.accountId, claim.livemode, claim.key, claim.now],
  );
  return row;
}

/** Stores the answer with the change that it describes; both commit or neither. */
export async function storeAnswer(
  db: Db,
  claim: IdempotencyClaim,
  answer: { status: number; body: Buffer },
  sealWith: Secrets | null,
): Promise<void> {
  const body = sealWith ? sealWith.seal(answer.body, sealPlace(claim)) : answer.body;
  await db.query(
    'store_idempotent_answer',
    `
    update idempotency_keys set status = $4, body = $5, sealed = $6
     where account_id = $1 and livemode = $2 and key = $3`,
    [claim.accountId, claim.livemode, claim.key, answer.status, body, sealWith !== null],
  );
}

/** The answer for a replay: the stored bytes for the same request, a conflict for another one. */
export function readStored(row: StoredRow, claim: IdempotencyClaim, secrets: Secrets): KeyedAnswer {
  // Without an answer the row's owner has not finished.
  if (row.status === null || row.body === null) fail('idempotency_in_progress', { retryAfterSeconds: 1 });
  requireSameRequest(row, claim);
  return {
    status: Number(row.status),
    body: row.sealed ? secrets.open(row.body, sealPlace(claim)) : row.body,
    original: row.requestId,
  };
}

export function requireSameRequest(row: StoredRow, claim: IdempotencyClaim): void {
  if (!row.fingerprint.equals(claim.fingerprint)) fail('idempotency_conflict', { param: 'Idempotency-Key' });
}

/** The place that a sealed answer is bound to. */
function sealPlace(claim: IdempotencyClaim): string {
  return `idempotency_keys.body:${claim.accountId}:${claim.livemode}:${claim.key}`;
}

/** Deletes a batch of expired answers; returns how many. Expired ones have no effect, so this only saves space. */
export async function pruneIdempotencyKeys(db: Db, expiredBefore: Date, limit = 1_000): Promise<number> {
  const rows = await db.query(
    'prune_idempotency_keys',
    `
    delete from idempotency_keys where (account_id, livemode, key) in (
      select account_id, livemode, key from idempotency_keys where expires_at <= $1
       order by expires_at limit $2 for update skip locked)
    returning key`,
    [expiredBefore, limit],
  );
  return rows.length;
}
