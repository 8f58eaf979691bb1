import type { LoginNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';

export interface LoginNonce {
  id: string;
  message: string;
  expiresAt: Date;
}

/** The messages that can still be signed, the newest first. */
export function findLiveNonces(db: Db, network: LoginNetwork, address: string, now: Date): Promise<LoginNonce[]> {
  return db.query<LoginNonce>(
    'find_live_nonces',
    `
    select id, message, expires_at from login_nonces
     where network = $1 and address = $2 and expires_at > $3
     order by created_at desc, id desc
     limit 5`,
    [network, address, now],
  );
}

export async function insertNonce(
  db: Db,
  nonce: { id: string; network: LoginNetwork; address: string; message: string; now: Date; expiresAt: Date },
): Promise<void> {
  await db.query(
    'insert_nonce',
    `
    insert into login_nonces (id, network, address, message, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6)`,
    [nonce.id, nonce.network, nonce.address, nonce.message, nonce.now, nonce.expiresAt],
  );
}

/** Uses up the nonce; false if another request was first. */
export async function takeNonce(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    'take_nonce',
    `
    delete from login_nonces where id = $1 and expires_at > $2
    returning id`,
    [id, now],
  );
  return rows.length > 0;
}

export async function deleteNonce(db: Db, id: string): Promise<void> {
  await db.query('delete_nonce', `delete from login_nonces where id = $1`, [id]);
}

/** Deletes a batch; returns how many. */
export async function deleteExpiredNonces(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_nonces',
    `
    delete from login_nonces where id in (select id from login_nonces where expires_at <= $1 limit $2) returning id`,
    [now, limit],
  );
  return rows.length;
}
