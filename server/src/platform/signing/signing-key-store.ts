import type { Buffer } from 'node:buffer';
import type { Account } from '../caller.ts';
import type { Db, Transaction } from '../db/db.ts';

/** A stored key of one account and mode. The private half is sealed, and deleted once the key is retired. */
export interface StoredSigningKey {
  kid: string;
  publicKey: Buffer;
  privateKey: Buffer | null;
  createdAt: Date;
  retiredAt: Date | null;
}

export async function findCurrentKey(db: Db, { id, livemode }: Account): Promise<StoredSigningKey | undefined> {
  const [row] = await db.query<StoredSigningKey>(
    'find_current_signing_key',
    `
    select kid, public_key, private_key, created_at, retired_at
      from signing_keys where account_id = $1 and livemode = $2 and retired_at is null`,
    [id, livemode],
  );
  return row;
}

/** Every key that the account ever had in this mode, newest first. */
export function listSigningKeys(db: Db, { id, livemode }: Account): Promise<StoredSigningKey[]> {
  return db.query<StoredSigningKey>(
    'list_signing_keys',
    `
    select kid, public_key, private_key, created_at, retired_at
      from signing_keys where account_id = $1 and livemode = $2 order by created_at desc, kid`,
    [id, livemode],
  );
}

/** Some sealed current keys of any account, to check the master key. */
export function listSomeKeys(db: Db): Promise<{ kid: string; privateKey: Buffer }[]> {
  return db.query<{ kid: string; privateKey: Buffer }>(
    'list_some_signing_keys',
    `
    select kid, private_key from signing_keys where private_key is not null limit 5`,
    [],
  );
}

/** The account and mode that a key signs for. Undefined for a key that no account has. */
export async function findOwnerOfKey(db: Db, kid: string): Promise<Account | undefined> {
  const [row] = await db.query<Account>(
    'find_owner_of_signing_key',
    `select account_id as id, livemode from signing_keys where kid = $1`,
    [kid],
  );
  return row;
}

/** Stores a key as the current one of an account, unless it has one already or there is no such account. */
export async function insertSigningKey(
  db: Db,
  { id, livemode }: Account,
  key: { kid: string; publicKey: Uint8Array; sealed: Uint8Array; createdAt: Date },
): Promise<void> {
  await db.query(
    'insert_signing_key',
    `
    insert into signing_keys (kid, account_id, livemode, public_key, private_key, created_at)
    select $1, id, $3, $4, $5, $6 from accounts where id = $2
        on conflict do nothing`,
    [key.kid, id, livemode, key.publicKey, key.sealed, key.createdAt],
  );
}

/** Retires current keys, those that fit: their private halves are deleted. Returns how many. */
export async function retireCurrentKeys(
  db: Transaction,
  { accountId, livemode }: { accountId: string | null; livemode: boolean | null },
  at: Date,
): Promise<number> {
  const rows = await db.query(
    'retire_signing_keys',
    `
    update signing_keys set retired_at = $1, private_key = null
     where retired_at is null and ($2::text is null or account_id = $2) and ($3::boolean is null or livemode = $3)
    returning kid`,
    [at, accountId, livemode],
  );
  return rows.length;
}
