import type { Db } from '../../platform/db/db.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';

const NONCE_BYTES = 32;

/**
 * The payments that the sender of a transfer signed an authorization for, by the nonces that the transfer carries. A
 * nonce counts only together with its payer, because two payers may use the same nonce.
 */
export async function findAuthorized(
  db: Db,
  transfer: Pick<StoredTransfer, 'livemode' | 'network' | 'from' | 'carried'>,
): Promise<string[]> {
  const nonces = transfer.carried.filter((mark) => mark.length === NONCE_BYTES).map((mark) => Buffer.from(mark));
  if (nonces.length === 0 || transfer.from === null) return [];
  const rows = await db.query<{ paymentId: string }>(
    'find_authorized',
    `
    select payment_id from machine_credentials
     where livemode = $1 and network = $2 and nonce = any($3) and payer = $4
     order by created_at
     limit 2`,
    [transfer.livemode, transfer.network, nonces, transfer.from],
  );
  return rows.map((row) => row.paymentId);
}
