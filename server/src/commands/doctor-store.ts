import type { Db } from '../platform/db/db.ts';

export async function findServer(db: Db): Promise<{ version: string; readOnly: string; clock: Date } | undefined> {
  const [row] = await db.query<{ version: string; readOnly: string; clock: Date }>(
    'doctor_server',
    `
    select current_setting('server_version') as version, current_setting('transaction_read_only') as read_only,
      clock_timestamp() as clock`,
  );
  return row;
}
