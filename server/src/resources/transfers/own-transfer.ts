import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { findAddressClaims } from '../../settlement/records/address-owner-store.ts';
import { findOwnTransfer, type OwnTransfer } from './list-store.ts';

/** The transfer, if it came to a wallet of this account. */
export async function ownTransfer(db: Db, account: Account, id: string): Promise<OwnTransfer> {
  return (isId('tr', id) ? await findOwnTransfer(db, account, id) : undefined) ?? fail('not_found', { param: 'id' });
}

/**
 * Allows manual decisions about a transfer: to the account that proved the address, or without a proof to the only
 * account that has saved an address without code.
 */
export async function assertOwner(
  db: Db,
  account: Account,
  { network, to }: { network: string; to: string },
): Promise<void> {
  const { livemode } = account;
  const { owner, isShared, needsProof, isLookedUp } = await findAddressClaims(
    db,
    { livemode, network, address: to },
    account.id,
  );
  if (owner === account.id) return;
  if (owner !== null)
    fail('forbidden', {
      param: 'id',
      message:
        'Another account proved the address of this transfer, so only that account can change it. If the ' +
        'address is yours, verify ownership of your payout wallet: the operator of this server is notified of the dispute.',
    });
  const reason = isShared
    ? 'Other accounts have also saved the address of this transfer'
    : isLookedUp
      ? 'A contract lives at the address of this transfer'
      : 'No RPC provider could say yet whether a contract lives at the address of this transfer. It is asked again every minute';
  if (isShared || needsProof)
    fail('forbidden', {
      param: 'id',
      message: `${reason}. Verify ownership of your payout wallet first, by a signature or by a transfer.`,
    });
}
