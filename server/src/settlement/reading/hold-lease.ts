import type { Db } from '../../platform/db/db.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { extendLease, LEASE_MS, type Lease } from './cursor-store.ts';

/**
 * For how long a lease is extended without progress: longer than a step through a provider that answers just before its
 * deadline, and short enough that another process reads the network within a minute.
 */
export const MAX_HOLD_MS = 40 * SECOND_MS;
const EXTEND_EVERY_MS = LEASE_MS / 4;

/**
 * Extends a lease while a turn runs, because third parties decide how long its calls take. Ends when it is disposed, and
 * by itself after `MAX_HOLD_MS` without progress: a process that gets no further gives way to one that may.
 */
export function holdLease(db: Db, lease: Lease, { since, clock }: { since: Date; clock: () => Date }): Disposable {
  const timer = setInterval(() => {
    const now = clock();
    // The fencing token protects the cursor, so a lease that could not be extended is only lost earlier.
    extendLease(db, lease, { now, until: later(now, LEASE_MS), since, provedAfter: later(now, -MAX_HOLD_MS) }).catch(
      () => {},
    );
  }, EXTEND_EVERY_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
