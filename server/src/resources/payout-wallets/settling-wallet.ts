import type { ErrorCode } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { findDefaultWallet, findWallet } from './store.ts';

/** What a session copies from its payout wallet. */
export type SessionWallet = Pick<PayoutWallet, 'id' | 'asset' | 'network' | 'address'>;

/** The named wallet, otherwise the account's default. Another account's wallet is as unknown as a missing one. */
export async function settlingWallet(
  db: Db,
  account: Account,
  id: string | undefined,
  code: ErrorCode,
): Promise<SessionWallet> {
  const refuse = (message: string) => fail(code, { param: 'payout_wallet_id', message });
  const wallet =
    id === undefined
      ? ((await findDefaultWallet(db, account)) ??
        refuse('No default payout wallet. Add a payout wallet, or send `payout_wallet_id`.'))
      : ((isId('pp', id) ? await findWallet(db, account, id) : undefined) ??
        refuse('`payout_wallet_id` must be the ID of a payout wallet of this account and mode.'));
  if (wallet.archivedAt) refuse('This payout wallet is archived. Use a different one.');
  if (wallet.unconfirmed)
    refuse(
      'This payout wallet was added by a secret key and waits for the owner of the account to confirm it in the dashboard.',
    );
  if (wallet.unfit !== null) refuse(`No payment can settle to this payout wallet. ${wallet.unfit}`);
  return wallet;
}
