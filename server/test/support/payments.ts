import { randomBytes } from 'node:crypto';
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

/** Stores the nonce of a signed authorization like the payment endpoint for programs, before anything is sent. */
export async function rememberAuthorization(
  db: Db,
  { sessionId, payer, token, nonce }: { sessionId: string; payer: string; token: string; nonce: Uint8Array },
): Promise<void> {
  await db.query(
    'test_remember_authorization',
    `
    insert into machine_credentials (id, payment_id, livemode, network, protocol, kind, replay_key, payer, token, nonce,
      state, created_at)
    select $1, p.id, true, s.receive_network, 'x402', 'authorization', $2, $3, $4, $5, 'open', p.created_at
      from payments p join checkout_sessions s on s.id = p.session_id where p.session_id = $6`,
    [`mc_${randomBytes(12).toString('hex')}`, randomBytes(32), payer, token, nonce, sessionId],
  );
}
