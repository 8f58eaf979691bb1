import type { ErrorCode } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { settlingWallet, type SessionWallet } from '../payout-wallets/settling-wallet.ts';

/**
 * Caches the result of `settlingWallet`, because a saved wallet never changes. Whether it may be used can change, so
 * the statement that writes a session checks that again. Call `dropCachedWallet` if it rejects the wallet.
 */
export function cachedWallet(
  { db, caches }: Pick<Context, 'db' | 'caches'>,
  account: Account,
  id: string | undefined,
  code: ErrorCode,
): Promise<SessionWallet> {
  return caches.wallets.get(nameOf(account, id), () => settlingWallet(db, account, id, code));
}

export function dropCachedWallet({ caches }: Pick<Context, 'caches'>, account: Account, id: string | undefined): void {
  caches.wallets.drop(nameOf(account, id));
}

function nameOf(account: Account, id: string | undefined): string {
  return `${account.id} ${account.livemode} ${id ?? 'default'}`;
}
