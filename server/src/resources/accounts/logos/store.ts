import type { Db } from '../../../platform/db/db.ts';
import type { Picture } from './picture.ts';

export interface StoredLogo extends Picture {
  accountId: string;
  hash: string;
  createdAt: Date;
}

export async function saveLogo(db: Db, logo: StoredLogo): Promise<void> {
  await db.query(
    'save_logo',
    `
    insert into logos (account_id, hash, type, bytes, created_at) values ($1, $2, $3, $4, $5)
    on conflict (account_id, hash) do update set created_at = excluded.created_at`,
    [logo.accountId, logo.hash, logo.type, logo.bytes, logo.createdAt],
  );
}

export async function hasLogo(db: Db, accountId: string, hash: string): Promise<boolean> {
  const rows = await db.query('has_logo', 'select hash from logos where account_id = $1 and hash = $2', [
    accountId,
    hash,
  ]);
  return rows.length > 0;
}

/** Whose it is does not matter: the same hash is the same picture. */
export async function findLogo(db: Db, hash: string): Promise<Picture | undefined> {
  const [row] = await db.query<Picture>('find_logo', 'select type, bytes from logos where hash = $1 limit 1', [hash]);
  return row;
}

export async function deleteOtherLogos(db: Db, accountId: string, kept: readonly string[]): Promise<void> {
  await db.query('delete_other_logos', 'delete from logos where account_id = $1 and hash <> all ($2)', [
    accountId,
    kept,
  ]);
}

/** Deletes pictures that were uploaded before this instant and that no account uses. One that changes now is left alone. */
export async function deleteUnusedLogosBefore(db: Db, before: Date, limit: number): Promise<number> {
  const deleted = await db.query(
    'delete_unused_logos_before',
    `
    delete from logos where (account_id, hash) in (
      select l.account_id, l.hash from logos l join accounts a on a.id = l.account_id
       where l.created_at < $1 and right(coalesce(a.logo_url, ''), 71) <> '/logos/' || l.hash
       limit $2 for no key update of a skip locked)
    returning hash`,
    [before, limit],
  );
  return deleted.length;
}
