import type { Db } from '../platform/db/db.ts';

export async function dropEverything(db: Db): Promise<void> {
  await db.query('drop_schema', 'drop schema public cascade');
  await db.query('create_schema', 'create schema public');
}
