import { later } from '../../server/src/platform/time.ts';
import type { Database } from '../../server/src/platform/db/db.ts';

/** Time of this process that stands still until it is moved ahead: its timers do not notice. */
export interface MovedTime extends Disposable {
  pass(ms: number): void;
  /** The database with this time. */
  of(db: Database): Database;
}

/**
 * Stops `Date.now` and `performance.now` of the whole process until it is disposed of, so that what is measured does not
 * depend on how fast this machine is.
 */
export function moveTime(): MovedTime {
  let aheadMs = 0;
  const [date, monotonic] = [Date.now, performance.now];
  const [startDate, startMonotonic] = [Date.now(), performance.now()];
  Date.now = () => startDate + aheadMs;
  performance.now = () => startMonotonic + aheadMs;
  return {
    pass: (ms) => void (aheadMs += ms),
    of: (db) => ({ ...db, now: async () => later(new Date(startDate), aheadMs) }),
    [Symbol.dispose]: () => void ([Date.now, performance.now] = [date, monotonic]),
  };
}
