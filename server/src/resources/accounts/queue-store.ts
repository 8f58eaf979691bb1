import type { Db } from '../../platform/db/db.ts';

/** Waits until no other transaction stands at this name, and holds it until this one ends. */
export async function standInQueue(db: Db, name: string, now: Date): Promise<void> {
  await db.query('stand_in_queue', `
    insert into login_queues (name, last_at) values ($1, $2)
    on conflict (name) do update set last_at = excluded.last_at`, [name, now]);
}

export async function deleteQueuesBefore(db: Db, instant: Date): Promise<void> {
  await db.query('delete_queues_before', `delete from login_queues where last_at < $1`, [instant]);
}
