import { fail } from '../errors.ts';
import type { Db } from '../db/db.ts';
import type { Secrets } from '../secrets.ts';
import type { IdempotencyClaim } from './route.ts';

export interface StoredAnswer {
  status: number;
  body: Buffer;
  requestId: string;
}

export interface StoredRow {
  fingerprint: Buffer;
  request_id: string;
  status: number | null;
  body: Buffer | null;
  sealed: boolean;
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Takes the key for this transaction: true where it was free or its answer has expired. Where another transaction
 * holds it, this waits for that one's end, and no longer than given; afterwards the key is taken or free.
 */
export async function claimKey(
  db: Db,
  claim: IdempotencyClaim,
  requestId: string,
  waitMostMs: number,
): Promise<boolean> {
  try {
    const rows = await db.query(
      'claim_idempotency_key',
      `
      insert into idempotency_keys (account_id, livemode, key, fingerprint, request_id, expires_at)
      select $1, $2::boolean, $3, $4::bytea, $5, $6::timestamptz
       where set_config('lock_timeout', $8, true) is not null
          on conflict (account_id, livemode, key) do update
         set fingerprint = excluded.fingerprint, request_id = excluded.request_id, expires_at = excluded.expires_at,
             status = null, body = null, sealed = false
       where idempotency_keys.expires_at <= $7
      returning key`,
      [
        claim.accountId,
        claim.livemode,
        claim.key,
        claim.fingerprint,
        requestId,
        claim.expiresAt,
        claim.now,
        String(Math.max(Math.round(waitMostMs), 1)),
      ],
    );
    return rows.length === 1;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE)
      fail('idempotency_in_progress', { retryAfterSeconds: 1, cause: error });
    throw error;
  }
}

/** The answer that a key has, where it has not expired. */
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

/** Keeps the answer with the change that it tells of; both commit or neither. */
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

/** What a repeat is answered: the stored bytes for the same request, a conflict for another one. */
export function replayStored(row: StoredRow | undefined, claim: IdempotencyClaim, secrets: Secrets): StoredAnswer {
  // Without an answer the row's owner has not finished, or the row was deleted this moment.
  if (!row || row.status === null || row.body === null) fail('idempotency_in_progress', { retryAfterSeconds: 1 });
  requireSame(row, claim);
  return {
    status: Number(row.status),
    body: row.sealed ? secrets.open(row.body, sealPlace(claim)) : row.body,
    requestId: row.request_id,
  };
}

/** A key that has answered another request is a conflict, however wrong this one is. */
export async function refuseReuse(db: Db, claim: IdempotencyClaim): Promise<void> {
  const row = await findStored(db, claim);
  if (row) requireSame(row, claim);
}

function requireSame(row: StoredRow, claim: IdempotencyClaim): void {
  if (!row.fingerprint.equals(claim.fingerprint)) fail('idempotency_conflict', { param: 'Idempotency-Key' });
}

/** Where a sealed answer is kept; the seal is good nowhere else. */
function sealPlace(claim: IdempotencyClaim): string {
  return `idempotency_keys.body:${claim.accountId}:${claim.livemode}:${claim.key}`;
}

/** Deletes a batch of expired answers; tells how many. Expired ones no longer count, so this only saves space. */
export async function pruneIdempotencyKeys(db: Db, expiredBefore: Date, most = 1_000): Promise<number> {
  const rows = await db.query(
    'prune_idempotency_keys',
    `
    delete from idempotency_keys where (account_id, livemode, key) in (
      select account_id, livemode, key from idempotency_keys where expires_at <= $1
       order by expires_at limit $2 for update skip locked)
    returning key`,
    [expiredBefore, most],
  );
  return rows.length;
}
