import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';

export async function sessionOf(db: Db, paymentId: string): Promise<string> {
  const [row] = await db.query<{ sessionId: string }>(
    'find_session_of_payment',
    `select session_id from payments where id = $1`,
    [paymentId],
  );
  return row && isId('cs', row.sessionId) ? row.sessionId : fail('not_found', { param: 'id' });
}
