import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import type { Observation } from './lifecycle.ts';
import type { Payment } from '../records/payment.ts';
import { findOrders, type StoredOrder } from '../records/route-order-store.ts';
import { holdsPaymentOpen } from './holding.ts';
import { assessPayment } from './settle.ts';
import { observeClosing, type AssessedPayment } from './assessed-payment.ts';

/** A payment and one of its orders, both locked. */
export interface RoutedPayment {
  payment: Payment;
  order: StoredOrder;
}

/**
 * The effect of an ended order on its payment. While the payment is pending it has no effect if direct money was seen or
 * the customer chose another order: that money, or the end of the window, decides.
 */
export async function observeEnd(
  ctx: Pick<Context, 'prices'>,
  db: Transaction,
  { payment, order }: RoutedPayment,
  end: Observation,
): Promise<Observation | undefined> {
  const assessed = await assessPayment(ctx, db, payment);
  if (payment.status === 'routing' || payment.status === 'settling') {
    const isAnotherUnderWay = (await findOrders(db, payment.id)).some(
      (other) => other.id !== order.id && isUnderWay(other),
    );
    // Orders of test mode are polled once, so theirs end at once.
    const isWaitedFor = isAnotherUnderWay || (payment.livemode && isDirectInSight(assessed, end.at));
    return isWaitedFor ? undefined : endWith(assessed, end);
  }
  if (assessed.direct.seenUnits > 0n) return undefined;
  const isChosen = assessed.targets.at(-1)?.id === order.targetId;
  const isOver = payment.status === 'expired' || payment.status === 'failed';
  return isChosen || isOver ? end : undefined;
}

/** The end of a route beside direct money that nothing will complete: the merchant received it and must see it. */
export function endWith(assessed: AssessedPayment, end: Observation): Observation {
  if (assessed.direct.receivedUnits === 0n) return end;
  return observeClosing(assessed, false, { ...end.evidence, ended: end.type }, end.at);
}

/** Whether direct money is in sight that is not final yet, and may pay in full. */
export function isDirectInSight({ transfers }: Pick<AssessedPayment, 'transfers'>, now: Date): boolean {
  return transfers.some((one) => one.attributedBy !== 'route' && holdsPaymentOpen(one, now));
}

/** The window is over, no money arrived, and a provider holds a deposit to an order that the customer left. */
export function observeStuck(orders: readonly StoredOrder[], closing: Observation): Observation {
  const stuck = orders.find((order) => order.state === 'stuck');
  if (!stuck || closing.type !== 'window_closed') return closing;
  return {
    type: 'route_stuck',
    at: closing.at,
    reason: stuck.reason ?? 'route_failed',
    evidence: { ...closing.evidence, provider: stuck.provider, order: stuck.id, state: stuck.state },
  };
}

function isUnderWay({ state }: StoredOrder): boolean {
  return state === 'converting' || state === 'delivering' || state === 'done';
}
