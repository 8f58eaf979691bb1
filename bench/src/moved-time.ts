import { later } from '../../server/src/platform/time.ts';
import type { Database } from '../../server/src/platform/db/db.ts';

/** Time of this process that can be moved ahead: its timers do not notice. */
export interface MovedTime extends Disposable {
  pass(ms: number): void;
  /** The database with this time. */
  of(db: Database): Database;
}

/** Moves `Date.now` and `performance.now` of the whole process until it is disposed of. */
export function moveTime(): MovedTime {
  let aheadMs = 0;
  const [date, monotonic] = [Date.now, performance.now];
  Date.now = () => date() + aheadMs;
  performance.now = () => monotonic.call(performance) + aheadMs;
  return {
    pass: (ms) => void (aheadMs += ms),
    of: (db) => ({ ...db, now: async () => later(await db.now(), aheadMs) }),
    [Symbol.dispose]: () => void ([Date.now, performance.now] = [date, monotonic]),
  };
}
