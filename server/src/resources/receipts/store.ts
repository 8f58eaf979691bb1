import type { Buffer } from 'node:buffer';
import type { Db } from '../../platform/db/db.ts';

/** A receipt as it is stored: its bytes never change. */
export interface StoredReceipt {
  id: string;
  paymentId: string;
  /** 1 for a payment's first receipt. */
  number: number;
  factsHash: Buffer;
  jws: string;
  issuedAt: Date;
}

/** The newest receipt of a payment. */
export async function findNewestReceipt(db: Db, paymentId: string): Promise<StoredReceipt | undefined> {
  const [row] = await db.query<StoredReceipt>(
    'find_newest_receipt',
    `
    select id, payment_id, number, facts_hash, jws, issued_at
      from receipts where payment_id = $1 order by number desc limit 1`,
    [paymentId],
  );
  return row;
}

/** False if the payment already has a receipt with this number. */
export async function insertReceipt(db: Db, receipt: StoredReceipt): Promise<boolean> {
  const rows = await db.query(
    'insert_receipt',
    `
    insert into receipts (id, payment_id, number, facts_hash, jws, issued_at) values ($1, $2, $3, $4, $5, $6)
        on conflict (payment_id, number) do nothing
    returning id`,
    [receipt.id, receipt.paymentId, receipt.number, receipt.factsHash, receipt.jws, receipt.issuedAt],
  );
  return rows.length > 0;
}
