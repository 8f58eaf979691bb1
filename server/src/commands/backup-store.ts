import type { Db } from '../platform/db/db.ts';

/** The version of PostgreSQL, for example `17.2`. */
export async function readServerVersion(db: Db): Promise<string> {
  const [row] = await db.query<{ version: string }>(
    'server_version',
    `select current_setting('server_version') as version`,
  );
  return row?.version ?? '';
}
