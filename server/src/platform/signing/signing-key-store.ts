import type { Buffer } from 'node:buffer';
import type { Db, Transaction } from '../db/db.ts';

/** A stored key. The private half is sealed, and deleted once the key is retired. */
export interface StoredSigningKey {
  kid: string;
  publicKey: Buffer;
  privateKey: Buffer | null;
  createdAt: Date;
  retiredAt: Date | null;
}

export async function findCurrentKey(db: Db): Promise<StoredSigningKey | undefined> {
  const [row] = await db.query<StoredSigningKey>(
    'find_current_signing_key',
    `select kid, public_key, private_key, created_at, retired_at from signing_keys where retired_at is null`,
  );
  return row;
}

/** Every key that ever existed, newest first. */
export function listSigningKeys(db: Db): Promise<StoredSigningKey[]> {
  return db.query<StoredSigningKey>(
    'list_signing_keys',
    `select kid, public_key, private_key, created_at, retired_at from signing_keys order by created_at desc, kid`,
  );
}

/** Stores a key as the current one, unless there is a current key already. */
export async function insertSigningKey(
  db: Db,
  key: { kid: string; publicKey: Uint8Array; sealed: Uint8Array; createdAt: Date },
): Promise<void> {
  await db.query(
    'insert_signing_key',
    `
    insert into signing_keys (kid, public_key, private_key, created_at) values ($1, $2, $3, $4)
        on conflict do nothing`,
    [key.kid, key.publicKey, key.sealed, key.createdAt],
  );
}

/** Retires the current key: its private half is deleted. */
export async function retireCurrentKey(db: Transaction, at: Date): Promise<void> {
  await db.query(
    'retire_signing_key',
    `update signing_keys set retired_at = $1, private_key = null where retired_at is null`,
    [at],
  );
}
