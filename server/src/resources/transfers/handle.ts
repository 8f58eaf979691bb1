import type { TransferJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { markHandled, unmarkHandled } from '../../settlement/records/transfer-store.ts';
import { assertOwner, ownTransfer } from './own-transfer.ts';
import { presentTransfer } from './present.ts';

/** The merchant marks a transfer as handled, with a note of their own. */
export async function handleTransfer(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { id, note }: { id: string; note: string | null },
): Promise<TransferJson> {
  const { transfer } = await ownTransfer(db, caller, id);
  await assertOwner(db, caller, transfer);
  if (!(await markHandled(db, id, caller.now, note)))
    fail('invalid_payment_state', {
      message: 'This transfer is attributed to a payment, so it cannot be marked as handled.',
    });
  return presentOwn(ctx, db, caller, id);
}

/** The merchant takes the mark away: the transfer is open again. */
export async function reopenTransfer(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<TransferJson> {
  const { transfer } = await ownTransfer(db, caller, id);
  await assertOwner(db, caller, transfer);
  await unmarkHandled(db, id);
  return presentOwn(ctx, db, caller, id);
}

async function presentOwn(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<TransferJson> {
  return presentTransfer(ctx, await ownTransfer(db, caller, id));
}
