import { invariant } from '../errors.ts';
import type { Db } from './db.ts';

/** The database's real time, on the connection of the current transaction. */
export async function readClock(db: Db): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(
    'read_clock',
    `select date_trunc('milliseconds', clock_timestamp()) as now`,
  );
  invariant(row, 'the database has a clock');
  return row.now;
}
