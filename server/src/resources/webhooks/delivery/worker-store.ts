import type { Db } from '../../../platform/db/db.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';

/** A worker that has not been heard of for so long is dead. */
export const DEAD_AFTER_MS = 8 * SECOND_MS;

/** Notes that this worker lives, and frees what dead ones have leased, if it may judge them. */
export async function noteAlive(db: Db, worker: string, { now, frees }: { now: Date; frees: boolean }): Promise<void> {
  await db.query(
    'note_worker_alive',
    `
    with alive as (
      insert into delivery_workers (id, until) values ($1, $2) on conflict (id) do update set until = excluded.until
    ), dead as (
      delete from delivery_workers where $4 and until <= $3 and id <> $1 returning id
    )
    -- While nothing is dead, no lease is read, however the planner would join.
    delete from delivery_leases lease using dead where exists (select from dead) and starts_with(lease.holder, dead.id)`,
    [worker, later(now, DEAD_AFTER_MS), now, frees],
  );
}
