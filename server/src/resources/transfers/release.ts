import type { TransferJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { releaseTransfer } from '../../settlement/attribution/release-transfer.ts';
import { findAddressOwner } from '../../settlement/records/address-owner-store.ts';
import { ownTransfer } from './own-transfer.ts';
import { presentTransfer } from './present.ts';

/** The owner of an address releases a transfer that was attributed to another account's payment. */
export async function releaseTransferToOwner(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  id: string,
): Promise<TransferJson> {
  const before = await ownTransfer(db, caller, id);
  const { transfer, payment } = before;
  const ownerId = await findAddressOwner(db, {
    livemode: caller.livemode,
    network: transfer.network,
    address: transfer.to,
  });
  if (ownerId !== caller.id)
    fail('forbidden', {
      param: 'id',
      message: 'Only the account that proved the address may release this transfer. Prove the payout wallet first.',
    });
  if (transfer.paymentId === null) {
    if (transfer.releasedAt) return presentTransfer(ctx, before);
    fail('invalid_payment_state', { param: 'id', message: 'This transfer belongs to no payment. Assign it instead.' });
  }
  if (payment !== null)
    fail('invalid_payment_state', {
      param: 'id',
      message: 'This transfer belongs to a payment of your own account, so there is nothing to release.',
    });

  if (!(await releaseTransfer(ctx, db, transfer, { created: caller.now, recorded: caller.realNow })))
    fail('invalid_payment_state', {
      param: 'id',
      message: 'This transfer is being processed. Try again in a few seconds.',
    });
  return presentTransfer(ctx, await ownTransfer(db, caller, id));
}
