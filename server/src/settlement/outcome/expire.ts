import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { failures } from '../../platform/metrics.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { Job } from '../../job.ts';
import { observeStuck } from './route-end.ts';
import { orderOf, senderOf } from './route-payout.ts';
import { findOrders, type StoredOrder } from '../records/route-order-store.ts';
import { holdsPaymentOpen, mayStillDeliver } from './holding.ts';
import { hasQueued } from '../records/transfer-queue-store.ts';
import { coverage, mayBeUnseen } from '../reading/coverage.ts';
import type { Payment } from '../records/payment.ts';
import { observe, assessPayment } from './settle.ts';
import { observeClosing, type AssessedPayment } from './assessed-payment.ts';
import { lockPayments } from '../records/payment-store.ts';
import type { Instants, Settlement } from '../records/settlement.ts';
import { PAYMENTS_AT_ONCE, type DuePayment, findDue, hasReverted } from './expiry-store.ts';

/** Closes the windows that have ended. */
export const expiryJob: Job = {
  name: 'expiry',
  everyMs: 1 * SECOND_MS,
  channel: 'covered',
  async run(ctx) {
    // A payment that cannot be closed yet, or fails, is skipped: it must not delay others and must not loop.
    const left: string[] = [];
    for (;;) {
      const now = await ctx.db.now();
      const due = await findDue(ctx.db, { now, left, covered: await coverage(ctx, ctx.db) });
      for (const one of due) if (!(await tryToClose(ctx, one))) left.push(one.id);
      if (due.length < PAYMENTS_AT_ONCE) return 'idle';
      if (left.length === 0) return 'more';
    }
  },
};

async function tryToClose(ctx: Context, one: DuePayment): Promise<boolean> {
  try {
    // Read for each, because streams look back only some seconds for events that were recorded before others.
    const now = await ctx.db.now();
    const at = { created: new Date(now.getTime() + Number(one.offsetMs)), recorded: now };
    return await ctx.db.transaction((db) => closeWindow(ctx, db, one.id, at));
  } catch (error) {
    // A database outage is not the payment's fault.
    if (isUnavailable(error)) throw error;
    failures.inc({ job: expiryJob.name });
    ctx.log.error({ err: error, paymentId: one.id }, 'payment closing failed: retrying on the next turn');
    return false;
  }
}

/**
 * Ends a payment whose window is over. Without a started payment the clock decides. Otherwise the chain must have been
 * read past the end, and no seen transfer may be waiting for finality. Returns true if the payment was ended.
 */
export async function closeWindow(
  ctx: Settlement['ctx'],
  db: Transaction,
  paymentId: string,
  at: Instants,
): Promise<boolean> {
  const payment = (await lockPayments(db, [paymentId])).get(paymentId);
  if (!payment || at.created.getTime() < payment.expiresAt.getTime()) return false;
  if (payment.status !== 'created' && payment.status !== 'pending') return false;

  const wallet = { network: payment.receiveNetwork, address: payment.receiveAddress };
  if (payment.livemode && (await hasQueued(db, wallet, { until: payment.expiresAt, now: at.recorded }))) return false;
  const assessed = await assessPayment(ctx, db, payment);
  if (assessed.transfers.some((transfer) => holdsPaymentOpen(transfer, at.recorded))) return false;

  const evidence: Record<string, unknown> = {};
  if (payment.status === 'pending' && payment.livemode) {
    const coveredUntil = (await coverage(ctx, db)).get(payment.receiveNetwork);
    if (!coveredUntil || coveredUntil.getTime() <= payment.expiresAt.getTime()) return false;
    if (await mayBeUnseen(db, payment, { until: payment.expiresAt, now: at.recorded })) return false;
    evidence.coveredUntil = coveredUntil;
  }
  const orders = await findOrders(db, payment.id);
  if (orders.some((order) => mayStillDeliver(order, payment, at.created))) return false;

  // A payout whose provider has not answered yet may complete the payment.
  const isHeld = assessed.transfers.some((transfer) => {
    const order = transfer.attributedBy === 'route' ? orderOf(orders, transfer) : undefined;
    return order !== undefined && senderOf(order, transfer) === 'unknown';
  });
  if (isHeld) return false;

  const after = await endWindow({ ctx, db, at }, assessed, orders, evidence);
  return after.status !== payment.status;
}

/** Ends the window by the received money and the state of the route orders. The caller has checked that it may end. */
export async function endWindow(
  settlement: Settlement,
  assessed: AssessedPayment,
  orders: readonly StoredOrder[],
  evidence: Record<string, unknown>,
): Promise<Payment> {
  const { payment } = assessed;
  const reverted = payment.status === 'pending' && (await hasReverted(settlement.db, payment.id));
  const closing = observeClosing(assessed, reverted, evidence, settlement.at.created);
  return observe(settlement, payment, observeStuck(orders, closing));
}
