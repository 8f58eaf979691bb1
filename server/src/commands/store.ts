import type { Db } from '../platform/db/db.ts';

/** The version is such as `17.2`. */
export async function describeServer(
  db: Db,
): Promise<{ version: string; isReadOnly: boolean; clock: Date } | undefined> {
  const [row] = await db.query<{ version: string; isReadOnly: boolean; clock: Date }>(
    'doctor_server',
    `
    select current_setting('server_version') as version, current_setting('transaction_read_only') = 'on' as is_read_only,
      clock_timestamp() as clock`,
  );
  return row;
}

export async function dropEverything(db: Db): Promise<void> {
  await db.query('drop_schema', 'drop schema public cascade');
  await db.query('create_schema', 'create schema public');
}
