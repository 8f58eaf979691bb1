import type { ErrorCode } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Database } from '../../platform/db/db.ts';
import { settlingWallet, type SessionWallet } from '../payout-wallets/settling-wallet.ts';

const MAX_WALLETS = 10_000;

/**
 * Caches the result of `settlingWallet`, because a saved wallet never changes. Whether it may be used can change, so
 * the statement that writes a session checks that again. Call `dropCachedWallet` if it rejects the wallet.
 */
export async function cachedWallet(
  db: Database,
  account: Account,
  id: string | undefined,
  code: ErrorCode,
): Promise<SessionWallet> {
  const wallets = walletsOf(db);
  const name = nameOf(account, id);
  const known = wallets.get(name);
  if (known) return known;

  const wallet = await settlingWallet(db, account, id, code);
  const [oldest] = wallets.keys();
  if (wallets.size >= MAX_WALLETS && oldest !== undefined) wallets.delete(oldest);
  wallets.set(name, wallet);
  return wallet;
}

export function dropCachedWallet(db: Database, account: Account, id: string | undefined): void {
  walletsOf(db).delete(nameOf(account, id));
}

const remembered = new WeakMap<Database, Map<string, SessionWallet>>();

function walletsOf(db: Database): Map<string, SessionWallet> {
  const known = remembered.get(db) ?? new Map<string, SessionWallet>();
  remembered.set(db, known);
  return known;
}

function nameOf(account: Account, id: string | undefined): string {
  return `${account.id} ${account.livemode} ${id ?? 'default'}`;
}
