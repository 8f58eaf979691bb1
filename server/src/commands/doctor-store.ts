import type { Db } from '../platform/db/db.ts';

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
