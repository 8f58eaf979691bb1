import type { TransferJson, PaymentStatus } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { assignToPayment } from '../../settlement/attribution/assign-transfer.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';
import { lockPayment } from '../../settlement/records/payment-store.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';
import { type Elsewhere, isElsewhere, receiveElsewhere } from './elsewhere.ts';
import type { OwnPayment } from './list-store.ts';
import { assertOwner, ownTransfer } from './own-transfer.ts';
import { presentTransfer } from './present.ts';

/** The statuses in which a payment takes a transfer that the merchant assigns to it. */
export const ACCEPTING_STATUSES: readonly PaymentStatus[] = [
  'created',
  'pending',
  'routing',
  'settling',
  'expired',
  'failed',
  'refund_required',
];

/** The merchant decides which payment a transfer was meant for. */
export async function assignTransfer(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { id, paymentId, found }: { id: string; paymentId: string; found: Elsewhere | null },
): Promise<TransferJson> {
  const before = await ownTransfer(db, caller, id);
  const { transfer } = before;
  const payment = isId('pay', paymentId) ? await lockPayment(db, caller, paymentId) : undefined;
  if (!payment)
    return fail('invalid_request', {
      param: 'payment',
      message: '`payment` must be the ID of a payment of this account and mode.',
    });
  if (transfer.paymentId === payment.id) return presentTransfer(ctx, before);
  assertFree(transfer, before.payment);
  const arrivedElsewhere = isElsewhere(transfer, payment);
  const isForWallet =
    transfer.to === payment.receiveAddress &&
    transfer.network === payment.receiveNetwork &&
    transfer.asset === payment.receiveAsset;
  if (!isForWallet && !arrivedElsewhere) {
    fail('invalid_request', {
      param: 'payment',
      message:
        `The transfer is ${transfer.asset} on ${transfer.network}, but this payment expects ` +
        `${payment.receiveAsset} on ${payment.receiveNetwork} at ${payment.receiveAddress}.`,
    });
  }
  if (!ACCEPTING_STATUSES.includes(payment.status)) {
    fail('invalid_payment_state', {
      message: `The payment is ${payment.status.replace('_', ' ')} and accepts no more transfers.`,
    });
  }
  await assertOwner(db, caller, transfer);
  if (arrivedElsewhere) await receiveElsewhere(db, transfer, payment, found);

  const at = { created: caller.now, recorded: caller.realNow };
  const isAssigned = await assignToPayment({ ctx, db, at }, transfer, {
    paymentId: payment.id,
    by: 'hand',
    verified: found?.evidence ?? null,
  });
  if (!isAssigned)
    fail('invalid_payment_state', {
      param: 'id',
      message: 'This transfer was attributed to a payment, or disappeared, at the same moment. Load it again.',
    });
  const after = await ownTransfer(db, caller, id);
  // Undoes all of it: a part would ask the customer for the rest on a network that they did not choose, and before the
  // end is read, the customer may have paid there in time.
  if (arrivedElsewhere && isOpenPayment(payment) && after.payment?.status !== 'paid')
    fail('invalid_payment_state', {
      param: 'payment',
      message:
        'This transfer does not pay the open payment in full and in time, and on another network a payment takes no part. ' +
        'Assign it once the payment has expired, or send it back.',
    });
  return presentTransfer(ctx, after);
}

function assertFree(transfer: StoredTransfer, ownPayment: OwnPayment | null): void {
  if (transfer.paymentId !== null)
    fail('invalid_payment_state', {
      param: 'id',
      message:
        ownPayment === null
          ? "This transfer is attributed to another account's payment. Release it first."
          : 'This transfer is already attributed to a payment.',
    });
  if (!transfer.confirmed)
    fail('invalid_payment_state', {
      param: 'id',
      message:
        'Only one RPC provider has reported this transfer, so it may never have happened. It can be ' +
        'assigned once a second one confirms it, usually within minutes.',
    });
}
