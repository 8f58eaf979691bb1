import type { BodyOf, endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, parseDisplayAmount } from '../../platform/money.ts';
import { advance } from '../../settlement/outcome/lifecycle.ts';
import type { Payment, Refund } from '../../settlement/records/payment.ts';
import { lockPayment, saveSteps } from '../../settlement/records/payment-store.ts';
import { displayMinor, leftUnits, unitsOf } from '../../settlement/records/returned.ts';
import { newRefund } from '../refunds/create.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { saveRefund } from '../refunds/save.ts';

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

  if (payment.status === 'refunded') return payment;

  const settlement = { ctx, db, at: { created: caller.now, recorded: caller.realNow } };
  const recorded = { amountMinor, address: body.address ?? null, reason: body.reason ?? null, createdAt: caller.now };
  const after = returnedBy(payment, recorded, body.amount === undefined);
  if (after) return (await saveRefund(settlement, payment, { before: null, after }, recorded)).payment;
  // Nothing is left of what arrived, or nothing did: the merchant's word remains.
  const refunds = { ...payment.refunds, returnedMinor: payment.refunds.returnedMinor + amountMinor };
  const seen = { type: 'refund_recorded' as const, at: caller.now, refund: recorded };
  return saveSteps(settlement, payment, advance({ ...payment, refunds }, seen));
}

/** The refund that is recorded: of everything that is left, or of the amount that was named. */
function returnedBy(payment: Payment, recorded: Refund, isWhole: boolean): StoredRefund | undefined {
  const left = leftUnits(payment);
  if (left === 0n) return undefined;
  const named = unitsOf(payment, recorded.amountMinor);
  const units = isWhole || named > left ? left : named;
  const minor = isWhole ? displayMinor(payment, left) : recorded.amountMinor;
  if (units === 0n) return undefined;
  const planned = newRefund(payment, {
    minor,
    units,
    to: recorded.address,
    reason: recorded.reason,
    at: recorded.createdAt,
  });
  return { ...planned, status: 'final' };
}
