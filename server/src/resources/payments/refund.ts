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
import { isUnsent, type RefundSettlement, type StoredRefund } from '../refunds/refund.ts';
import { saveRefund } from '../refunds/save.ts';
import { findRefundsOf } from '../refunds/store.ts';

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
  const free = await cancelUnsent(settlement, payment);
  const after = returnedBy(free, recorded, body.amount === undefined);
  if (after) return (await saveRefund(settlement, free, { before: null, after }, recorded)).payment;
  // Nothing arrived, so the merchant's word remains. Or refunds on their way return all of it, and count when they have.
  const returnedMinor = free.refunds.returnedMinor + (free.actualOutputUnits ? 0n : amountMinor);
  const seen = { type: 'refund_recorded' as const, at: caller.now, refund: recorded };
  return saveSteps(settlement, free, advance({ ...free, refunds: { ...free.refunds, returnedMinor } }, seen));
}

/** By the merchant's word the money went back, so what was planned or asked beside it must not be sent as well. */
async function cancelUnsent(settlement: RefundSettlement, payment: Payment): Promise<Payment> {
  let free = payment;
  for (const before of await findRefundsOf(settlement.db, payment)) {
    if (!isUnsent(before)) continue;
    const after: StoredRefund = { ...before, status: 'cancelled', dueAt: null };
    free = (await saveRefund(settlement, free, { before, after })).payment;
  }
  return free;
}

/** The refund that is recorded: of everything that is left, or of the amount that was named. */
function returnedBy(payment: Payment, recorded: Refund, isWhole: boolean): StoredRefund | undefined {
  const left = leftUnits(payment);
  if (left === 0n) return undefined;
  const named = unitsOf(payment, recorded.amountMinor);
  const units = isWhole || named > left ? left : named;
  const leftMinor = displayMinor(payment, left);
  const minor = isWhole || recorded.amountMinor > leftMinor ? leftMinor : recorded.amountMinor;
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
