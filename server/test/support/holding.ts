import { expect } from 'vitest';
import type { Database, Transaction } from '../../src/platform/db/db.ts';

/** Runs `work` while a transaction holds rows, which ends once `work` waits for it and `meanwhile` is done. */
export async function holding(
  database: Database,
  { sql, id }: { sql: string; id: string },
  work: () => Promise<unknown>,
  meanwhile: (db: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  let working: Promise<unknown> | undefined;
  await database.transaction(async (db) => {
    await db.query(`test_hold ${id}`, sql, [id]);
    working = work();
    await expect
      .poll(() =>
        database.query(
          'test_waiting',
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        ),
      )
      .toHaveLength(1);
    await meanwhile(db);
  });
  await working;
}
