import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { lockAccount } from '../accounts/store.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { findWallet, moveDefault } from './store.ts';

/** Sessions that name no wallet settle here from now on. Open ones keep theirs. */
export async function setDefaultWallet(db: Transaction, caller: Caller, id: string): Promise<PayoutWallet> {
  // Locked until the default has moved, so that concurrent requests run one after the other.
  await lockAccount(db, caller.id);
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (wallet.archivedAt)
    fail('invalid_payout_wallet', {
      param: 'id',
      message: 'An archived wallet cannot be the default.',
    });
  if (wallet.isDefault) return wallet;

  await moveDefault(db, wallet);
  return { ...wallet, isDefault: true };
}
