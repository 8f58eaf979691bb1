import type { Db } from '../../src/platform/db/db.ts';
import { findPaymentOfSession } from '../../src/settlement/records/payment-store.ts';

export async function paymentOfSession(db: Db, sessionId: string): Promise<string> {
  return (await findPaymentOfSession(db, sessionId))?.id ?? '';
}

/** The statuses of a session's payment, according to its events. */
export async function walkOf(db: Db, sessionId: string): Promise<string[]> {
  const rows = await db.query<{ type: string; sequence: number }>(
    'test_walk',
    `select e.type, e.sequence from events e join payments p on p.id = e.object_id
      where p.session_id = $1 order by e.sequence`,
    [sessionId],
  );
  if (rows.some(({ sequence }, at) => sequence !== at + 1))
    throw new Error(`sequences have gaps: ${rows.map(({ sequence }) => sequence)}`);
  return rows.map(({ type }) => type.replace('payment.', ''));
}

/** The bytes of a session's reference that a transfer carries. */
export async function referenceOf(db: Db, sessionId: string): Promise<Buffer> {
  const [row] = await db.query<{ reference: Buffer }>(
    'test_reference_of',
    'select reference from checkout_sessions where id = $1',
    [sessionId],
  );
  if (!row) throw new Error(`there is no session ${sessionId}`);
  return row.reference.subarray(0, 16);
}
