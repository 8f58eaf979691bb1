import type { Transaction } from './db.ts';

/** Waits for every transaction that holds the same name, and holds it until this transaction ends. Stores nothing. */
export async function lockName(db: Pick<Transaction, 'query'>, name: string): Promise<void> {
  await db.query('lock_name', 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
