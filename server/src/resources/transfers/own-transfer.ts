import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { findOwnTransfer, type OwnTransfer } from './list.ts';

/** The transfer, if it came to a wallet of this account. */
export async function ownTransfer(db: Db, account: Account, id: string): Promise<OwnTransfer> {
  return (isId('tr', id) ? await findOwnTransfer(db, account, id) : undefined) ?? fail('not_found', { param: 'id' });
}

/** Where several accounts have saved an address, the one decides that has proved to own it. */
export async function assertOwner(db: Db, account: Account, address: string): Promise<void> {
  const rows = await db.query<{ account_id: string; proved: boolean }>(
    'find_savers',
    `
    select account_id, bool_or(proved_at is not null) as proved
      from payout_wallets where livemode = $1 and address = $2 group by account_id`,
    [account.livemode, address],
  );
  const isShared = rows.some((row) => row.account_id !== account.id);
  const isProved = rows.some((row) => row.account_id === account.id && row.proved);
  if (isShared && !isProved)
    fail('forbidden', {
      message: 'Other accounts have also saved this address. Verify ownership of it with a signature first.',
    });
}
