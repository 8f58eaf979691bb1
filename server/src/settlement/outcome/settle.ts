import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { observePayout, orderOf, senderOf } from './route-payout.ts';
import { findOrders } from '../records/route-order-store.ts';
import {
  findTransfersOf,
  isUnsure,
  lockTransfer,
  releaseTransfers,
  saveAttributions,
  setTransferStatus,
  type StoredTransfer,
} from '../records/transfer-store.ts';
import { reserveRemainder } from './remainder.ts';
import { advance, transitionOf, type Money, type Observation } from './lifecycle.ts';
import type { Payment, Step } from '../records/payment.ts';
import { wholeRefund } from '../records/returned.ts';
import { directChoice, assessPayments, moneyOf, observeMoney, type AssessedPayment } from './assessed-payment.ts';
import { refusalOf } from '../records/attribution.ts';
import { removeFromDaySums } from '../records/day-sum-store.ts';
import { lockPayments, savePaymentWithoutEvent, saveSteps } from '../records/payment-store.ts';
import type { Settlement } from '../records/settlement.ts';

/**
 * Marks a transfer as final, so that it counts, and updates its payment in one transaction with the events. Safe to
 * repeat: the second call changes nothing.
 */
export async function settleTransfer(
  settlement: Settlement,
  seen: StoredTransfer,
  evidence: Record<string, unknown>,
): Promise<Payment | undefined> {
  const { ctx, db, at } = settlement;
  const payment = await lockPaymentOf(db, seen);
  const transfer = await lockTransfer(db, seen.id);
  if (transfer?.status !== 'seen') return payment;
  // The transfer may have been attributed to another payment since it was read. The next turn finds it again.
  if (transfer.queued || transfer.paymentId !== seen.paymentId) return undefined;

  await setTransferStatus(db, { ...transfer, block: seen.block }, { status: 'final', evidence }, at.created);
  if (!payment) return undefined;

  const assessed = await assessPayment(ctx, db, payment);
  const withRule = { ...evidence, rule: transfer.attributedBy, transfer: transfer.id };
  return applyTransfer(settlement, assessed, transfer, withRule);
}

/** A transfer disappeared from the chain before it was final. */
export async function dropTransfer(
  { ctx, db, at }: Settlement,
  seen: StoredTransfer,
  evidence: Record<string, unknown>,
): Promise<void> {
  await lockPaymentOf(db, seen);
  // The transfer may have been read again in another block meanwhile.
  const held = await lockTransfer(db, seen.id);
  if (!held || held.queued || held.block.hash !== seen.block.hash) return;
  if (!(await setTransferStatus(db, seen, { status: 'dropped', evidence }, at.created))) return;
  ctx.log.warn(
    { transferId: seen.id, network: seen.network, txHash: seen.txHash },
    'transfer disappeared from the chain before it was final',
  );
  const { paymentId } = seen;
  if (paymentId) db.afterCommit(() => ctx.db.notify('payments', paymentId));
}

/** Re-evaluates a payment after a final transfer was assigned to it. */
export async function settlePayment(
  settlement: Settlement,
  payment: Payment,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
): Promise<Payment> {
  const assessed = await assessPayment(settlement.ctx, settlement.db, payment);
  return applyTransfer(settlement, assessed, transfer, evidence);
}

/** Applies a final transfer to its payment: as the customer's own money, or as the payout of a route. */
async function applyTransfer(
  settlement: Settlement,
  assessed: AssessedPayment,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
): Promise<Payment> {
  const at = settlement.at.created;
  if (transfer.attributedBy !== 'route')
    return applyMoney(settlement, assessed, transfer, observeMoney(assessed, evidence, at));

  const orders = await findOrders(settlement.db, assessed.payment.id);
  const order = orderOf(orders, transfer);
  switch (order && senderOf(order, transfer)) {
    case 'customer':
      return applyAsDirect(settlement, assessed.payment, transfer, evidence);
    case 'unknown':
      // Held until the provider has answered, see `settlePayout`.
      return applyMoney(settlement, assessed, transfer, undefined);
    default:
      return applyMoney(settlement, assessed, transfer, observePayout(assessed, orders, transfer, { at, evidence }));
  }
}

/**
 * A route's exact output that no provider sent is the customer's own money. The missing rest gets a reserved amount.
 */
async function applyAsDirect(
  settlement: Settlement,
  payment: Payment,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
): Promise<Payment> {
  const { ctx, db, at } = settlement;
  await attributeTo(db, payment, transfer, 'amount');
  const own = { ...transfer, attributedBy: 'amount' as const };
  const reassessed = await assessPayment(ctx, db, payment);
  // No conversion took place, so no fee is due. A payment with other money in transit keeps its choice.
  const isOpen = payment.status === 'pending' || payment.status === 'expired' || payment.status === 'failed';
  const choice = isOpen ? directChoice(payment, reassessed.direct) : {};
  const assessed = {
    ...reassessed,
    payment: await savePaymentWithoutEvent(ctx, db, payment, { ...payment, ...choice }),
  };
  const withRule = { ...evidence, rule: own.attributedBy };
  const after = await applyMoney(settlement, assessed, own, observeMoney(assessed, withRule, at.created));
  await reserveRemainder(db, await assessPayment(ctx, db, after), at.created);
  return after;
}

/**
 * Re-evaluates a final transfer of an order's exact output after its provider has answered. A held transfer becomes a
 * payout or direct money, or is released if the payment takes no more. A transfer that counted as direct money of an
 * incomplete payment may become a payout.
 */
export async function settlePayout(settlement: Settlement, payment: Payment, seen: StoredTransfer): Promise<Payment> {
  const { ctx, db } = settlement;
  const transfer = await lockTransfer(db, seen.id);
  if (transfer?.status !== 'final' || transfer.queued || transfer.paymentId !== payment.id) return payment;
  // A reorg may have taken it away. The recheck decides first.
  if (isUnsure(transfer)) return payment;
  if (await isCounted(db, payment, transfer)) return payment;
  if (payment.status === 'paid' || payment.status === 'refunded') {
    // The merchant accepted or returned other money while this was held. Direct money they decided about with the rest.
    if (transfer.attributedBy === 'route')
      await releaseTransfers(db, [transfer.id], refusalOf(payment.status) ?? 'already_paid');
    return payment;
  }

  const order = orderOf(await findOrders(db, payment.id), transfer);
  if (!order || senderOf(order, transfer) === 'unknown') return payment;
  const rule = senderOf(order, transfer) === 'provider' ? ('route' as const) : ('amount' as const);
  if (transfer.attributedBy === 'amount' && rule === 'amount') return payment;
  if (transfer.attributedBy === 'amount') await attributeTo(db, payment, transfer, 'route');
  db.afterCommit(() => ctx.db.notify('payments', payment.id));
  const evidence = { ...transfer.evidence, rule, transfer: transfer.id };
  return settlePayment(settlement, payment, { ...transfer, attributedBy: 'route' }, evidence);
}

/**
 * Whether the money that a payment shows has this final transfer in it. Its hash alone does not say so: a payout that is
 * held may be in the transaction of direct money that counts. It counts once the sum has it.
 */
export async function isCounted(db: Transaction, payment: Payment, transfer: StoredTransfer): Promise<boolean> {
  return isCountedAmong(await findTransfersOf(db, [payment.id]), payment, transfer);
}

/** The same, of a payment whose transfers are known. */
export function isCountedAmong(all: readonly StoredTransfer[], payment: Payment, transfer: StoredTransfer): boolean {
  if (payment.actualOutputUnits === null) return false;
  const isShown = (one: StoredTransfer) => one.untraced || payment.txHashes.includes(one.txHash);
  if (!isShown(transfer)) return false;
  if (transfer.attributedBy !== 'route') return true;
  const shown = all.filter((one) => one.status === 'final' && isShown(one));
  const lacking = shown.reduce((sum, one) => sum + one.amountUnits, -payment.actualOutputUnits);
  return lacking < transfer.amountUnits;
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
 * A final transfer was released from its payment, which is locked. The remaining money decides its status. A payment
 * that is still paid in full stays paid.
 */
export async function applyRelease(
  settlement: Settlement,
  payment: Payment,
  evidence: Record<string, unknown>,
): Promise<Payment> {
  const { ctx, db, at } = settlement;
  const assessed = await assessPayment(ctx, db, payment);
  const money = moneyInAll(assessed);
  const isStillPaid = payment.status === 'paid' && payment.route === 'direct' && assessed.direct.complete;
  const type = money.outputUnits > 0n ? 'money_released_in_part' : 'money_released';
  const steps = isStillPaid ? [] : advance(payment, { type, at: at.created, money, evidence });
  const last = steps.at(-1)?.payment ?? withMoney(payment, money);
  // All that is left may have been returned before.
  const refund =
    isStillPaid || last.status === 'refund_required'
      ? wholeRefund(last, { address: null, reason: null, createdAt: at.created })
      : undefined;
  if (refund) steps.push(...advance(last, { type: 'refund_recorded', at: at.created, refund, evidence }));
  const after = await saveObserved(settlement, payment, steps);
  if (payment.paidAt && !after.paidAt) await removeFromDaySums(db, payment);
  if (after !== payment || payment.txHashes.length === 0) return after;
  return savePaymentWithoutEvent(ctx, db, payment, withMoney(payment, money));
}

/** Applies an observation to a locked payment. Logs a transition that the table refuses. */
export async function observe(settlement: Settlement, payment: Payment, seen: Observation): Promise<Payment> {
  const { ctx } = settlement;
  const steps = advance(payment, seen);
  if (steps.length === 0 && transitionOf(payment.status, seen.type) === 'refused') {
    ctx.log.warn({ paymentId: payment.id, status: payment.status, seen: seen.type }, 'payment transition rejected');
  }
  return saveObserved(settlement, payment, steps);
}

function saveObserved(settlement: Settlement, before: Payment, steps: readonly Step[]): Promise<Payment> {
  for (const { payment, evidence } of steps)
    settlement.ctx.log.info(
      { paymentId: payment.id, to: payment.status, seen: evidence.seen, sequence: payment.sequence },
      'payment advanced',
    );
  return saveSteps(settlement, before, steps);
}

async function applyMoney(
  settlement: Settlement,
  assessed: AssessedPayment,
  transfer: StoredTransfer,
  observation: Observation | undefined,
): Promise<Payment> {
  const { ctx, db } = settlement;
  const { payment } = assessed;
  const refusal = refusalOf(payment.status);
  if (refusal) {
    // A payment that takes no more money releases the transfer, which is then listed as unattributed.
    await releaseTransfers(db, [transfer.id], refusal);
    return payment;
  }

  const after = observation ? await observe(settlement, payment, observation) : payment;
  if (after === payment && payment.status === 'refund_required' && transfer.attributedBy !== 'route') {
    // Only the amount to refund or accept changes.
    return savePaymentWithoutEvent(ctx, db, payment, withMoney(payment, moneyInAll(assessed)));
  }
  if (
    after === payment &&
    payment.status === 'refund_required' &&
    observation &&
    'money' in observation &&
    observation.money.outputUnits > (payment.actualOutputUnits ?? 0n)
  ) {
    // A route has delivered, though it was marked as failed or the customer had paid directly by then.
    return savePaymentWithoutEvent(ctx, db, payment, withMoney(payment, observation.money));
  }
  if (after.status === 'paid') {
    // A payout pays alone, and direct money with all other direct money.
    const isDirect = (one: StoredTransfer) => one.attributedBy !== 'route';
    const leftOver = assessed.transfers.filter(
      (other) => other.id !== transfer.id && !(isDirect(transfer) && isDirect(other) && other.status === 'final'),
    );
    await releaseTransfers(
      db,
      leftOver.map((other) => other.id),
      'already_paid',
    );
  }
  return after;
}

/** All money that a payment received, directly and through routes. */
function moneyInAll({ direct, transfers }: AssessedPayment): Money {
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

async function lockPaymentOf(db: Transaction, transfer: StoredTransfer): Promise<Payment | undefined> {
  return transfer.paymentId ? (await lockPayments(db, [transfer.paymentId])).get(transfer.paymentId) : undefined;
}

export async function assessPayment(
  ctx: Pick<Context, 'prices'>,
  db: Transaction,
  payment: Payment,
): Promise<AssessedPayment> {
  const assessed = (await assessPayments(ctx, db, [payment])).get(payment.id);
  invariant(assessed, 'an existing payment can be assessed');
  return assessed;
}
