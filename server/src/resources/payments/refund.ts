import type { BodyOf, endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, parseDisplayAmount } from '../../platform/money.ts';
import { advance } from '../../settlement/outcome/lifecycle.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { lockPayment, saveSteps } from '../../settlement/records/payment-store.ts';

/** Records a refund that the merchant sent from their own wallet. A refunded payment stays as it is. */
export async function recordRefund(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { id, body }: { id: string; body: BodyOf<typeof endpoints.recordRefund> },
): Promise<Payment> {
  const payment = (await lockPayment(db, caller, id)) ?? fail('not_found', { param: 'id' });
  const amountMinor = body.amount === undefined ? payment.amountMinor : parseDisplayAmount(body.amount);
  invariant(amountMinor !== undefined, 'the schema lets only display amounts through');
  if (amountMinor > payment.amountMinor) {
    fail('invalid_refund', {
      param: 'amount',
      message: `\`amount\` must be at most the payment's ${formatDisplayAmount(payment.amountMinor)}.`,
    });
  }

  const refund = { amountMinor, address: body.address ?? null, reason: body.reason ?? null, createdAt: caller.now };
  const steps = advance(payment, { type: 'refund_recorded', at: caller.now, refund });
  return saveSteps({ ctx, db, at: { created: caller.now, recorded: caller.realNow } }, payment, steps);
}
