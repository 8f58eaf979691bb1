import type { Db } from '../platform/db/db.ts';
import { sha256 } from '../platform/secrets.ts';

/** What a developer needs for the first request. Stored readable, because it gives access to test money only. */
export interface DemoAccount {
  accountId: string;
  email: string;
  testKey: string;
  payoutWalletId: string;
  /** The endpoint of the built-in receiver, if it is registered. */
  webhook?: { id: string; url: string; secret: string };
  /** Whether the sample payments exist. */
  isSeeded?: boolean;
}

/** Whether the key still works: the database may be another one, or the key rotated. */
export async function isKeyValid(db: Db, { accountId, testKey }: DemoAccount): Promise<boolean> {
  const rows = await db.query(
    'find_demo_key',
    'select id from api_keys where secret_hash = $1 and account_id = $2 and revoked_at is null',
    [sha256(testKey), accountId ?? ''],
  );
  return rows.length > 0;
}
