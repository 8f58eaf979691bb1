import type { TransferJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { markHandled } from '../../settlement/records/transfer-store.ts';
import { assertOwner, ownTransfer } from './own-transfer.ts';
import { presentTransfer } from './present.ts';

/** The merchant marks a transfer as handled. */
export async function handleTransfer(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<TransferJson> {
  const { transfer, payment } = await ownTransfer(db, caller, id);
  await assertOwner(db, caller, transfer);
  const handledAt = await markHandled(db, id, caller.now);
  if (!handledAt)
    return fail('invalid_payment_state', {
      message: 'This transfer is attributed to a payment, so it cannot be marked as handled.',
    });
  return presentTransfer(ctx, { ...transfer, handledAt }, payment);
}
