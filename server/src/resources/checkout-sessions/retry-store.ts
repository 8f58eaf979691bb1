import type { Db, Transaction } from '../../platform/db/db.ts';

/** Concurrent retries of a session run one after the other. */
export async function holdForRetry(db: Transaction, sessionId: string): Promise<void> {
  await db.query('hold_session_for_retry', `select 1 from checkout_sessions where id = $1 for no key update`, [
    sessionId,
  ]);
}

/** The session in which this one was tried again. */
export async function findRetry(db: Db, sessionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    'find_retry_of_session',
    `select id from checkout_sessions where retry_of = $1`,
    [sessionId],
  );
  return row?.id;
}
