import type { Transaction } from '../../platform/db/db.ts';

export async function findEmail(db: Transaction, accountId: string): Promise<string | null> {
  const [row] = await db.query<{ email: string | null }>(
    'find_account_email',
    'select email from accounts where id = $1',
    [accountId],
  );
  return row?.email ?? null;
}
