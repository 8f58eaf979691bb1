import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { lockAccount } from '../accounts/store.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { findWallet, saveArchived } from './store.ts';

/**
 * Archives a wallet: it gets no new sessions and links, and open ones continue. If it was the default, there is no
 * default until one is chosen, because money must not go elsewhere automatically.
 */
export async function archiveWallet(db: Transaction, caller: Caller, id: string): Promise<PayoutWallet> {
  await lockAccount(db, caller.id);
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (caller.loginMethod === 'wallet') {
    fail('forbidden', { message: 'This account logs in with this wallet, and it is its only payout wallet.' });
  }
  if (wallet.archivedAt) return wallet;

  await saveArchived(db, wallet, caller.now);
  return { ...wallet, archivedAt: caller.now, isDefault: false };
}
