import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { observePayout } from './route-payout.ts';
import { lockTransfer, releaseTransfers, setTransferStatus, type StoredTransfer } from '../records/transfer-store.ts';
import { advance, walkOf, type Money, type Observation } from './lifecycle.ts';
import type { Payment } from '../records/payment.ts';
import { findStandings, moneyOf, observeMoney, type Standing } from './standing.ts';
import { lockPayments, saveQuietly, saveSteps } from '../records/payment-store.ts';

type Tools = Pick<Context, 'db' | 'prices' | 'log'>;

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

/** What a final transfer makes of its payment: as money of the customer, or as the payout of a route. */
async function weigh(
  ctx: Tools,
  db: Transaction,
  standing: Standing,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Instants,
): Promise<Payment> {
  const observation =
    transfer.attributedBy === 'route'
      ? await observePayout(db, standing, transfer, evidence, at.created)
      : observeMoney(standing, evidence, at.created);
  return applyMoney(ctx, db, standing, transfer, observation, at);
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
