import type { TransferJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account, Caller } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { lockPayment } from '../../settlement/records/payment-store.ts';
import { findOwnTransfer, type OwnTransfer } from './list.ts';
import { presentTransfer } from './present.ts';
import { giveTransfer } from '../../settlement/attribution/assign-transfer.ts';
import { markHandled } from '../../settlement/records/transfer-store.ts';

/** The merchant says which payment a transfer was meant for. */
export async function assignTransfer(ctx: Context, db: Transaction, caller: Caller, id: string, paymentId: string): Promise<TransferJson> {
  const { transfer } = await ownTransfer(db, caller, id);
  const payment = isId('pay', paymentId) ? await lockPayment(db, caller, paymentId) : undefined;
  if (!payment) return fail('invalid_request', { param: 'payment', message: '`payment` must be the id of a payment of this account and mode.' });
  if (transfer.paymentId === payment.id) return presentTransfer(transfer, payment.id);
  if (transfer.paymentId !== null) fail('invalid_payment_state', { message: 'This transfer belongs to a payment already.' });
  if (transfer.to !== payment.receiveAddress || transfer.network !== payment.receiveNetwork || transfer.asset !== payment.receiveAsset) {
    fail('invalid_request', { param: 'payment', message: `The transfer is ${transfer.asset} on ${transfer.network}; this payment asks for ${payment.receiveAsset} on ${payment.receiveNetwork} at ${payment.receiveAddress}.` });
  }
  if (!['created', 'pending', 'expired', 'failed', 'refund_required'].includes(payment.status)) {
    fail('invalid_payment_state', { message: `The payment is ${payment.status.replace('_', ' ')} and takes no more money.` });
  }
  await assertOwner(db, caller, transfer.to);

  await giveTransfer(ctx, db, transfer, payment.id, 'hand', { created: caller.now, recorded: caller.realNow });
  const after = await ownTransfer(db, caller, id);
  return presentTransfer(after.transfer, after.payment);
}

/** The merchant has dealt with a transfer in another way. */
export async function handleTransfer(db: Transaction, caller: Caller, id: string): Promise<TransferJson> {
  const { transfer, payment } = await ownTransfer(db, caller, id);
  await assertOwner(db, caller, transfer.to);
  const handledAt = await markHandled(db, id, caller.now);
  if (!handledAt) return fail('invalid_payment_state', { message: 'This transfer belongs to a payment, so there is nothing to deal with.' });
  return presentTransfer({ ...transfer, handledAt }, payment);
}

async function ownTransfer(db: Db, account: Account, id: string): Promise<OwnTransfer> {
  return (isId('tr', id) ? await findOwnTransfer(db, account, id) : undefined) ?? fail('not_found', { param: 'id' });
}

/** Where several accounts have saved an address, the one decides that has proved to own it. */
async function assertOwner(db: Db, account: Account, address: string): Promise<void> {
  const rows = await db.query<{ account_id: string; proved: boolean }>('find_savers', `
    select account_id, bool_or(proved_at is not null) as proved
      from payout_wallets where livemode = $1 and address = $2 group by account_id`, [account.livemode, address]);
  const isShared = rows.some((row) => row.account_id !== account.id);
  const isProved = rows.some((row) => row.account_id === account.id && row.proved);
  if (isShared && !isProved) fail('forbidden', { message: 'Other accounts have saved this address as well. Prove that it is yours by a signature first.' });
}
