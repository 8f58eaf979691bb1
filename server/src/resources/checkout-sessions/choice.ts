import type { Asset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { advance, type Choice } from '../../settlement/outcome/lifecycle.ts';
import { isOpenPayment, type Payment } from '../../settlement/records/payment.ts';
import { assessPayment } from '../../settlement/outcome/settle.ts';
import type { Settlement } from '../../settlement/records/settlement.ts';
import { receiveAssetOf, type AssessedPayment } from '../../settlement/outcome/assessed-payment.ts';
import { lockPayments, savePaymentWithoutEvent, saveSteps } from '../../settlement/records/payment-store.ts';
import { findUnfit } from '../payout-wallets/store.ts';
import { findOrders, isDeposited } from '../../settlement/records/route-order-store.ts';
import type { PublicView } from './public-session.ts';

/** A wallet that the customer has connected; `proved` if it signed. */
export interface Sender {
  address: string;
  proved: boolean;
}

/** The payment, locked, if its customer may still choose this asset. */
export async function holdForChoice(
  ctx: Context,
  db: Transaction,
  view: PublicView,
  asset: Asset,
): Promise<AssessedPayment> {
  const payment =
    (await lockPayments(db, [view.payment.id])).get(view.payment.id) ?? fail('not_found', { param: 'id' });
  assertOpen(payment, view.now);
  await refuseUnfitWallet(db, payment);
  const assessed = await assessPayment(ctx, db, payment);
  const isUnderWay = assessed.transfers.length > 0 && asset.key !== receiveAssetOf(payment).key;
  if (isUnderWay || (await findOrders(db, payment.id)).some(isDeposited)) {
    fail('invalid_payment_state', {
      param: 'pay_asset',
      message: 'A transfer for this payment is already in progress, so its asset can no longer be changed.',
    });
  }
  return assessed;
}

/** Starts the payment with this choice. For a started payment, saves the choice without an event. */
export async function saveChoice(settlement: Settlement, payment: Payment, choice: Choice): Promise<void> {
  const { ctx, db, at } = settlement;
  const steps = advance(payment, { type: 'payment_started', at: at.created, choice });
  if (steps.length > 0) await saveSteps(settlement, payment, steps);
  else await savePaymentWithoutEvent(ctx, db, payment, { ...payment, ...choice });
}

/** A wallet that was saved while no provider answered may turn out to be a token account after sessions were opened. */
async function refuseUnfitWallet(db: Transaction, { payoutWalletId }: Payment): Promise<void> {
  if ((await findUnfit(db, payoutWalletId)) !== null)
    fail('invalid_payment_state', {
      message:
        "This checkout cannot be paid: the merchant's address is not a wallet. Ask the merchant for a new checkout.",
    });
}

/** Throws 400 if nothing can be chosen any more. */
export function assertOpen(payment: Payment, now: Date): void {
  if (!isOpenPayment(payment))
    fail('invalid_payment_state', {
      message: `This checkout is ${payment.status.replace('_', ' ')}, so the payment option can no longer be changed.`,
    });
  if (now.getTime() >= payment.expiresAt.getTime())
    fail('invalid_payment_state', { message: 'This checkout has expired. Start a new checkout.' });
}
