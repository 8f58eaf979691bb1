import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { advance } from '../../settlement/outcome/lifecycle.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { lockPayment, saveSteps } from '../../settlement/records/payment-store.ts';
import { leftUnits } from '../../settlement/records/returned.ts';

/** The merchant accepts a short or late payment. Only money that reached the payout wallet can be accepted. */
export async function acceptPayment(ctx: Context, db: Transaction, caller: Caller, id: string): Promise<Payment> {
  const payment = (await lockPayment(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (payment.status === 'paid') return payment;
  if (payment.status !== 'refund_required')
    fail('invalid_payment_state', {
      message: `The payment is ${payment.status}. Only payments that are \`refund_required\` can be accepted.`,
    });
  if (!payment.actualOutputUnits)
    fail('invalid_payment_state', {
      message: 'No funds of this payment reached the payout wallet, so there is nothing to accept.',
    });
  if (leftUnits(payment) === 0n)
    fail('invalid_payment_state', {
      message: 'All of the money was returned, or is reserved by a refund. Cancel that refund first.',
    });

  const evidence = { acceptedBy: caller.via, failureReason: payment.failureReason };
  const steps = advance(payment, { type: 'accepted', at: caller.now, evidence });
  return saveSteps({ ctx, db, at: { created: caller.now, recorded: caller.realNow } }, payment, steps);
}
