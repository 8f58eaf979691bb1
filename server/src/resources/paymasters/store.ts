import type { Db } from '../../platform/db/db.ts';

/** The sealed address of an account's paymaster; null where it has none. */
export async function findPaymaster(db: Db, accountId: string): Promise<Buffer | null> {
  const [row] = await db.query<{ paymasterUrl: Buffer | null }>(
    'find_paymaster',
    `select paymaster_url from accounts where id = $1`,
    [accountId],
  );
  return row?.paymasterUrl ?? null;
}

/** Binds the sealed address to its account. */
export function placeOf(accountId: string): string {
  return `accounts.paymaster_url:${accountId}`;
}
