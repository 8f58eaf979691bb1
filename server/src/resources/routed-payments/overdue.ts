import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { HOUR_MS, later } from '../../platform/time.ts';
import { coverage, mayBeUnseen } from '../../settlement/reading/coverage.ts';
import type { Observation } from '../../settlement/outcome/lifecycle.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { observe, assessPayment, settlePayout } from '../../settlement/outcome/settle.ts';
import type { AssessedPayment } from '../../settlement/outcome/assessed-payment.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { findTransfersOf } from '../../settlement/records/transfer-store.ts';
import { endWith, isDirectInSight, type RoutedPayment } from '../../settlement/outcome/route-end.ts';
import { hasQueued } from '../../settlement/records/transfer-queue-store.ts';
import { observeProgress } from './observe-progress.ts';
import { endOf, endOfTime, isDeliveryOverdue, isTimeOver, pauseMs } from './progress.ts';
import {
  findOrders,
  isDeposited,
  lockOrder,
  saveProgress,
  type StoredOrder,
} from '../../settlement/records/route-order-store.ts';
import type { Instants, Settlement } from '../../settlement/records/settlement.ts';

/**
 * Whether money went to the provider and the payout is long overdue. What the provider has delivered counts while the
 * chain may not have been read far enough.
 */
export async function isGivenUp(
  ctx: Pick<Context, 'config'>,
  db: Transaction,
  { payment, order }: RoutedPayment,
  now: Date,
): Promise<boolean> {
  // The end that the provider reported decides; test mode does not wait for one.
  if (payment.livemode && isEnded(order)) return false;
  const isUnderWay = isConverting(payment);
  // A provider may report its conversion only after the payment has expired.
  const isInSight = (payment.status === 'pending' || payment.status === 'expired') && isDeposited(order);
  if (!isUnderWay && !isInSight) return false;
  if (!(await isSpent(ctx, db, { payment, order }, now))) return false;
  for (const other of await findOrders(db, payment.id)) {
    if (other.id === order.id || !['seen', 'converting', 'delivering', 'done'].includes(other.state)) continue;
    // Another order of the same payment may still deliver.
    if (!(await isSpent(ctx, db, { payment, order: other }, now))) return false;
  }
  const transfers = await findTransfersOf(db, [payment.id]);
  return transfers.every((transfer) => transfer.attributedBy !== 'route') && !isDirectInSight({ transfers }, now);
}

/**
 * Whether an order has had its time when its provider was last asked, and the chain has been read as far. After an outage
 * of the service, providers are asked long before that.
 */
async function isSpent(
  ctx: Pick<Context, 'config'>,
  db: Transaction,
  { payment, order }: RoutedPayment,
  now: Date,
): Promise<boolean> {
  if (!payment.livemode) return isTimeOver(order, now);
  const { polledAt, doneAt } = order;
  if (polledAt === null) return false;
  // A reported delivery has its own day, however late the report is.
  if (order.state !== 'done')
    return isTimeOver(order, polledAt) && (await isReadPast(ctx, db, payment, { instant: endOfTime(order), now }));
  return (
    doneAt !== null &&
    isDeliveryOverdue(order, polledAt) &&
    (await isReadPast(ctx, db, payment, { instant: later(doneAt, HOUR_MS), now }))
  );
}

async function isReadPast(
  ctx: Pick<Context, 'config'>,
  db: Transaction,
  payment: Payment,
  { instant, now }: { instant: Date; now: Date },
): Promise<boolean> {
  const covered = (await coverage(ctx, db)).get(payment.receiveNetwork);
  if (covered === undefined || covered <= instant) return false;
  if (await mayBeUnseen(db, payment, { until: instant, now })) return false;
  const wallet = { network: payment.receiveNetwork, address: payment.receiveAddress };
  return !(await hasQueued(db, wallet, { until: instant, now }));
}

export function giveUp(
  ctx: Pick<Context, 'log'>,
  assessed: AssessedPayment,
  order: StoredOrder,
  at: Date,
): Observation {
  ctx.log.error(
    {
      paymentId: order.paymentId,
      orderId: order.id,
      provider: order.provider,
      state: order.state,
      alarm: 'route_never_delivered',
    },
    'route provider did not deliver',
  );
  return endWith(assessed, {
    type: 'route_stuck',
    at,
    reason: 'route_failed',
    evidence: { provider: order.provider, order: order.id, state: order.state, neverDelivered: true },
  });
}

/**
 * Keeps an order due, however late it is, while its payment waits for the money that its provider has, or for other money
 * after the order's end: nothing else ends such a payment.
 */
export async function keepDue(db: Transaction, { payment, order }: RoutedPayment, now: Date): Promise<void> {
  const isWaiting = isConverting(payment) || payment.status === 'pending' || payment.status === 'expired';
  if (order.dueAt !== null || !payment.livemode || !isWaiting) return;
  if (!isDeposited(order) && !(isConverting(payment) && isEnded(order))) return;
  await saveProgress(db, { ...order, dueAt: later(now, pauseMs(order, payment, now)) });
}

function isConverting({ status }: Payment): boolean {
  return status === 'routing' || status === 'settling';
}

function isEnded({ state }: StoredOrder): boolean {
  return state === 'returned' || state === 'stuck' || state === 'dead';
}

/** Records that no answer arrived about an order. It has no effect until the provider's time is over. */
export async function noteUnanswered(ctx: Context, orderId: string): Promise<void> {
  const now = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    const known = await lockOrder(db, orderId);
    if (!known || !isTimeOver(known, now)) return;
    const payment = (await lockPayments(db, [known.paymentId])).get(known.paymentId);
    if (!payment) return;
    const order: StoredOrder = { ...known, polledAt: now, dueAt: null };
    const ended = endOf(order, now);
    await saveProgress(db, ended);
    const at = { created: now, recorded: now };
    const seen = (await isGivenUp(ctx, db, { payment, order }, now))
      ? giveUp(ctx, await assessPayment(ctx, db, payment), order, now)
      : isEnded(ended) && (isConverting(payment) || (ended.state === 'dead' && payment.status === 'pending'))
        ? await observeProgress(
            ctx,
            db,
            { payment, order: ended },
            { at: now, evidence: { provider: order.provider, order: order.id, state: order.state } },
          )
        : undefined;
    const after = seen ? await observe({ ctx, db, at }, payment, seen) : payment;
    await keepDue(db, { payment: after, order: ended }, now);
    await settleHeldPayouts(ctx, db, order, at);
  });
}

/** Settles transfers of an order's exact output that became final before the provider answered. */
export async function settleHeldPayouts(
  ctx: Settlement['ctx'],
  db: Transaction,
  order: Pick<StoredOrder, 'paymentId' | 'outputUnits'>,
  at: Instants,
): Promise<void> {
  const transfers = await findTransfersOf(db, [order.paymentId]);
  for (const transfer of transfers) {
    const isExact = transfer.amountUnits === order.outputUnits && transfer.status === 'final';
    const isJudged = transfer.attributedBy === 'route' || transfer.attributedBy === 'amount';
    if (!isExact || !isJudged) continue;
    const payment = (await lockPayments(db, [order.paymentId])).get(order.paymentId);
    if (payment) await settlePayout({ ctx, db, at }, payment, transfer);
  }
}
