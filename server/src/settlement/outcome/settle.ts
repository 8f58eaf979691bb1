import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { observePayout, orderOf, senderOf } from './route-payout.ts';
import { findOrders } from '../records/route-order-store.ts';
import {
  lockTransfer,
  releaseTransfers,
  saveAttributions,
  setTransferStatus,
  type StoredTransfer,
} from '../records/transfer-store.ts';
import { takeRemainder } from './remainder.ts';
import { advance, walkOf, type Money, type Observation } from './lifecycle.ts';
import type { Payment } from '../records/payment.ts';
import { directChoice, findStandings, moneyOf, observeMoney, type Standing } from './standing.ts';
import { lockPayments, saveQuietly, saveSteps } from '../records/payment-store.ts';

type Tools = Pick<Context, 'db' | 'prices' | 'log' | 'config'>;

/** The account's time, for what is written into events, and the database's. */
export interface Instants {
  created: Date;
  recorded: Date;
}

/**
 * A transfer is final: it counts now. Its payment becomes what the money makes of it, in one transaction with the
 * events. Safe to repeat; whoever comes second changes nothing.
 */
export async function settleTransfer(
  ctx: Tools,
  db: Transaction,
  seen: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<Payment | undefined> {
  const payment = await lockPaymentOf(db, seen);
  const transfer = await lockTransfer(db, seen.id);
  if (transfer?.status !== 'seen') return payment;
  // Between our look and our lock its owner may have changed; the next look finds it again.
  if (transfer.queued || transfer.paymentId !== seen.paymentId) return undefined;

  await setTransferStatus(db, { ...transfer, block: seen.block }, 'final', evidence, at.created);
  if (!payment) return undefined;

  const standing = await standingOf(ctx, db, payment);
  const withRule = { ...evidence, rule: transfer.attributedBy, transfer: transfer.id };
  return weigh(ctx, db, standing, transfer, withRule, at);
}

/** A transfer has vanished from the chain before it was final. */
export async function dropTransfer(
  ctx: Tools,
  db: Transaction,
  seen: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<void> {
  await lockPaymentOf(db, seen);
  // Read again meanwhile: it may stand in another block.
  const held = await lockTransfer(db, seen.id);
  if (!held || held.queued || held.block.hash !== seen.block.hash) return;
  if (!(await setTransferStatus(db, seen, 'dropped', evidence, at.created))) return;
  ctx.log.warn(
    { transferId: seen.id, network: seen.network, txHash: seen.txHash },
    'transfer disappeared from the chain before it was final',
  );
  const { paymentId } = seen;
  if (paymentId) db.afterCommit(() => ctx.db.notify('payments', paymentId));
}

/** Weighs a payment anew after a final transfer was given to it. */
export async function settlePayment(
  ctx: Tools,
  db: Transaction,
  payment: Payment,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<Payment> {
  return weigh(ctx, db, await standingOf(ctx, db, payment), transfer, evidence, at);
}

/** What a final transfer makes of its payment: as the customer's own money, or as the payout of a route. */
async function weigh(
  ctx: Tools,
  db: Transaction,
  standing: Standing,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<Payment> {
  if (transfer.attributedBy !== 'route')
    return applyMoney(ctx, db, standing, transfer, observeMoney(standing, evidence, at.created), at);

  const orders = await findOrders(db, standing.payment.id);
  const order = orderOf(orders, transfer);
  switch (order && senderOf(order, transfer)) {
    case 'customer':
      return weighAsDirect(ctx, db, standing.payment, transfer, evidence, at);
    case 'unknown':
      // Held until the provider has answered, see `settlePayout`.
      return applyMoney(ctx, db, standing, transfer, undefined, at);
    default:
      return applyMoney(
        ctx,
        db,
        standing,
        transfer,
        observePayout(standing, orders, transfer, evidence, at.created),
        at,
      );
  }
}

/** Money in a route's exact output that no provider sent is the customer's own. What is missing gets an amount of its own. */
async function weighAsDirect(
  ctx: Tools,
  db: Transaction,
  payment: Payment,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<Payment> {
  await attributeTo(db, payment, transfer, 'amount');
  const own = { ...transfer, attributedBy: 'amount' as const };
  const weighed = await standingOf(ctx, db, payment);
  // Nothing is converted, so no fee is due. A payment with other money under way keeps its choice.
  const isOpen = payment.status === 'pending' || payment.status === 'expired' || payment.status === 'failed';
  const choice = isOpen ? directChoice(payment, weighed.direct) : {};
  const standing = { ...weighed, payment: await saveQuietly(ctx, db, payment, { ...payment, ...choice }) };
  const withRule = { ...evidence, rule: own.attributedBy };
  const after = await applyMoney(ctx, db, standing, own, observeMoney(standing, withRule, at.created), at);
  await takeRemainder(db, await standingOf(ctx, db, after), at.created);
  return after;
}

/**
 * Judges a final transfer of an order's exact output once more, after its provider has answered. What was held until then is a payout or
 * direct money now; what was direct money, and is still waited for to be completed, may turn out to be a payout.
 */
export async function settlePayout(
  ctx: Tools,
  db: Transaction,
  payment: Payment,
  seen: StoredTransfer,
  at: Instants,
): Promise<Payment> {
  const transfer = await lockTransfer(db, seen.id);
  if (transfer?.status !== 'final' || transfer.queued || transfer.paymentId !== payment.id) return payment;
  const isOver = payment.status === 'paid' || payment.status === 'refunded';
  if (isOver || payment.txHashes.includes(transfer.txHash)) return payment;

  const order = orderOf(await findOrders(db, payment.id), transfer);
  if (!order || senderOf(order, transfer) === 'unknown') return payment;
  const rule = senderOf(order, transfer) === 'provider' ? ('route' as const) : ('amount' as const);
  if (transfer.attributedBy === 'amount' && rule === 'amount') return payment;
  if (transfer.attributedBy === 'amount') await attributeTo(db, payment, transfer, 'route');
  db.afterCommit(() => ctx.db.notify('payments', payment.id));
  const evidence = { ...transfer.evidence, rule, transfer: transfer.id };
  return settlePayment(ctx, db, payment, { ...transfer, attributedBy: 'route' }, evidence, at);
}

async function attributeTo(
  db: Transaction,
  payment: Payment,
  transfer: StoredTransfer,
  by: 'amount' | 'route',
): Promise<void> {
  const attribution = { type: 'taken' as const, paymentId: payment.id, targetId: null, by };
  await saveAttributions(db, [{ transferId: transfer.id, attribution }]);
}

/**
 * A final transfer was taken away from its payment, which is locked. It becomes what the money that is left makes of it;
 * a payment that is still paid in full stays so.
 */
export async function weighLoss(
  ctx: Tools,
  db: Transaction,
  payment: Payment,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<Payment> {
  const standing = await standingOf(ctx, db, payment);
  const money = moneyInAll(standing);
  const isStillPaid = payment.status === 'paid' && payment.route === 'direct' && standing.direct.complete;
  const after = isStillPaid
    ? payment
    : await observe(
        ctx,
        db,
        payment,
        {
          type: money.outputUnits > 0n ? 'money_released_in_part' : 'money_released',
          at: at.created,
          money,
          evidence,
        },
        at,
      );
  if (after !== payment || payment.txHashes.length === 0) return after;
  return saveQuietly(ctx, db, payment, withMoney(payment, money));
}

/** Applies what was seen to a payment that is held. Refusals are told to the log. */
export async function observe(
  ctx: Tools,
  db: Transaction,
  payment: Payment,
  seen: Observation,
  at: Instants,
): Promise<Payment> {
  const steps = advance(payment, seen);
  if (steps.length === 0 && walkOf(payment.status, seen.type) === 'refused') {
    ctx.log.warn({ paymentId: payment.id, status: payment.status, seen: seen.type }, 'payment transition rejected');
  }
  for (const step of steps)
    ctx.log.info(
      { paymentId: payment.id, to: step.payment.status, seen: seen.type, sequence: step.payment.sequence },
      'payment advanced',
    );
  return saveSteps(ctx, db, payment, steps, at);
}

async function applyMoney(
  ctx: Tools,
  db: Transaction,
  standing: Standing,
  transfer: StoredTransfer,
  observation: Observation | undefined,
  at: Instants,
): Promise<Payment> {
  const { payment } = standing;
  const isOver = payment.status === 'paid' || payment.status === 'refunded';
  if (isOver || (observation && walkOf(payment.status, observation.type) === 'refused')) {
    // What comes to a payment that takes no more is nobody's, and listed.
    await releaseTransfers(db, [transfer.id], reasonFor(payment));
    return payment;
  }

  const after = observation ? await observe(ctx, db, payment, observation, at) : payment;
  if (after === payment && payment.status === 'refund_required' && transfer.attributedBy !== 'route') {
    // Nothing changes but what there is to refund or to accept.
    return saveQuietly(ctx, db, payment, withMoney(payment, moneyInAll(standing)));
  }
  if (
    after === payment &&
    payment.status === 'refund_required' &&
    payment.route === 'routed' &&
    observation &&
    'money' in observation &&
    observation.money.outputUnits > (payment.actualOutputUnits ?? 0n)
  ) {
    // A route that was given up and has delivered after all.
    return saveQuietly(ctx, db, payment, withMoney(payment, observation.money));
  }
  if (after.status === 'paid') {
    const counted = new Set(after.txHashes);
    const leftOver = standing.transfers.filter((other) => !counted.has(other.txHash) && other.id !== transfer.id);
    await releaseTransfers(
      db,
      leftOver.map((other) => other.id),
      'already_paid',
    );
  }
  return after;
}

/** All that has come to a payment, directly and through routes. */
function moneyInAll({ direct, transfers }: Standing): Money {
  const money = moneyOf(direct);
  const payouts = transfers.filter((transfer) => transfer.attributedBy === 'route' && transfer.status === 'final');
  return {
    ...money,
    outputUnits: payouts.reduce((sum, payout) => sum + payout.amountUnits, money.outputUnits),
    txHashes: [...new Set([...payouts.map((payout) => payout.txHash), ...money.txHashes])],
  };
}

function withMoney(payment: Payment, { outputUnits, txHash, txHashes }: Money): Payment {
  return { ...payment, actualOutputUnits: outputUnits, txHash, txHashes };
}

function reasonFor(payment: Payment) {
  switch (payment.status) {
    case 'paid':
      return 'already_paid' as const;
    case 'refunded':
      return 'already_refunded' as const;
    default:
      return 'other_asset' as const;
  }
}

async function lockPaymentOf(db: Transaction, transfer: StoredTransfer): Promise<Payment | undefined> {
  return transfer.paymentId ? (await lockPayments(db, [transfer.paymentId])).get(transfer.paymentId) : undefined;
}

export async function standingOf(ctx: Pick<Context, 'prices'>, db: Transaction, payment: Payment): Promise<Standing> {
  const standing = (await findStandings(ctx, db, [payment])).get(payment.id);
  invariant(standing, 'a payment that exists stands somewhere');
  return standing;
}
