import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import type { Observation } from './lifecycle.ts';
import type { Payment } from '../records/payment.ts';
import { findOrders, isDeposited, type StoredOrder } from '../records/route-order-store.ts';
import { holdsPaymentOpen } from './holding.ts';
import { assessPayment } from './settle.ts';
import { observeClosing, type AssessedPayment } from './assessed-payment.ts';

/** A payment and one of its orders, both locked. */
export interface RoutedPayment {
  payment: Payment;
  order: StoredOrder;
}

/**
 * The effect of an ended order on its payment. It has none while another order has the customer's deposit, or while
 * direct money is in sight. While the payment is pending, it also has none if the customer chose another order: that
 * order, or the end of the window, decides.
 */
export async function observeEnd(
  ctx: Pick<Context, 'prices'>,
  db: Transaction,
  { payment, order }: RoutedPayment,
  end: Observation,
): Promise<Observation | undefined> {
  const assessed = await assessPayment(ctx, db, payment);
  const others = (await findOrders(db, payment.id)).filter((other) => other.id !== order.id);
  const isOver = payment.status === 'expired' || payment.status === 'failed';
  if (!isOver && others.some(isDeposited)) return undefined;
  if (payment.status === 'routing' || payment.status === 'settling') {
    // Orders of test mode are polled once, so theirs end at once.
    const isWaitedFor = payment.livemode && isDirectInSight(assessed, end.at);
    return isWaitedFor ? undefined : endWith(assessed, observeStuck(others, end));
  }
  if (assessed.direct.seenUnits > 0n) return undefined;
  if (isOver) return end;
  // An order without a deposit proves nothing about an earlier one, whose address the customer may have paid.
  if (end.type === 'route_dead' && others.some((other) => other.dueAt !== null)) return undefined;
  const isChosen = assessed.targets.at(-1)?.id === order.targetId;
  return isChosen ? observeStuck(others, end) : undefined;
}

/** The end of a route. If direct money has arrived, that decides: it may be enough, and the merchant must see it. */
export function endWith(assessed: AssessedPayment, end: Observation): Observation {
  if (assessed.direct.receivedUnits === 0n) return end;
  return observeClosing(assessed, false, { ...end.evidence, ended: end.type }, end.at);
}

/** Whether direct money is in sight that is not final yet, and may pay in full. */
export function isDirectInSight({ transfers }: Pick<AssessedPayment, 'transfers'>, now: Date): boolean {
  return transfers.some((one) => one.attributedBy !== 'route' && holdsPaymentOpen(one, now));
}

/** The window or the last order ends without money, and a provider holds a deposit to another order of the customer. */
export function observeStuck(orders: readonly StoredOrder[], end: Observation): Observation {
  const stuck = orders.find((order) => order.state === 'stuck');
  const isEmpty = end.type === 'window_closed' || end.type === 'route_returned' || end.type === 'route_dead';
  if (!stuck || !isEmpty) return end;
  return {
    type: 'route_stuck',
    at: end.at,
    reason: stuck.reason ?? 'route_failed',
    evidence: { ...end.evidence, provider: stuck.provider, order: stuck.id, state: stuck.state },
  };
}
