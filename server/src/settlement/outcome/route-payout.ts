import { later, MINUTE_MS } from '../../platform/time.ts';
import type { Choice, Money, Observation } from './lifecycle.ts';
import { receiveAssetOf, type AssessedPayment } from './assessed-payment.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { outputFor, peggedRate, toleranceUnits } from '../records/amounts.ts';
import { isRoutePriceLocked } from '../records/price-lock.ts';
import type { StoredOrder } from '../records/route-order-store.ts';

/**
 * A provider that pays out saw the deposit long before. One that reports no deposit this long after the payout's block
 * did not pay it.
 */
const MAX_REPORT_LAG_MS = 10 * MINUTE_MS;

/** The order that a transfer may be the payout of: by the exact output, or because the provider reported it. */
export function orderOf(orders: readonly StoredOrder[], transfer: StoredTransfer): StoredOrder | undefined {
  return (
    orders.find((one) => one.outputUnits === transfer.amountUnits) ??
    orders.find((one) => one.payoutTxHashes.includes(transfer.txHash))
  );
}

/**
 * Who sent a transfer of an order's exact output. Providers publish that amount, so anyone can send it. It is a payout
 * only if the provider works with a deposit or reports the transaction. An announced deposit is not enough, because its
 * sender can cancel it.
 */
export function senderOf(
  order: StoredOrder,
  transfer: Pick<StoredTransfer, 'txHash' | 'block'>,
): 'provider' | 'customer' | 'unknown' {
  if (order.payoutTxHashes.includes(transfer.txHash)) return 'provider';
  switch (order.state) {
    case 'converting':
    case 'delivering':
    case 'done':
    case 'stuck':
      return 'provider';
    default:
  }
  // The order is no longer polled, or was polled late enough.
  const isOver = order.dueAt === null;
  const isAnswered = order.polledAt !== null && order.polledAt > later(transfer.block.time, MAX_REPORT_LAG_MS);
  return isOver || isAnswered ? 'customer' : 'unknown';
}

/**
 * The effect of a provider's final payout on a payment. Only the exact output leads to `paid`, and only if it is worth
 * the price: after the lock, the price of the payout's minute. The merchant may accept anything less.
 */
export function observePayout(
  assessed: AssessedPayment,
  orders: readonly StoredOrder[],
  transfer: StoredTransfer,
  { at, evidence }: Pick<Observation, 'at' | 'evidence'>,
): Observation | undefined {
  const order = orderOf(orders, transfer);
  if (!order) return undefined;

  const common = {
    at,
    choice: routedChoice(order),
    evidence: { ...evidence, provider: order.provider, order: order.id },
  };
  if (transfer.amountUnits !== order.outputUnits)
    return {
      type: 'route_short',
      ...common,
      reason: 'short_delivery',
      money: moneyInParts(assessed, transfer),
    };
  const isLate = !isInTime(assessed, order, transfer);
  const shortfall = isLate ? undefined : shortfallOf(assessed, order, transfer);
  if (shortfall) return { type: 'route_short', ...common, reason: shortfall, money: moneyInParts(assessed, transfer) };
  const isPaid = !isLate && assessed.payment.status !== 'refund_required';
  const whole: Money = { outputUnits: transfer.amountUnits, txHash: transfer.txHash, txHashes: [transfer.txHash] };
  return {
    type: isLate ? 'route_delivered_late' : 'route_delivered',
    ...common,
    money: isPaid ? whole : moneyInParts(assessed, transfer),
  };
}

/** Why a full output is not worth the price of its order; undefined if it is, or if that price is still locked. */
function shortfallOf(
  { payment, rateAt, toleranceBps }: AssessedPayment,
  order: StoredOrder,
  transfer: StoredTransfer,
): 'underpaid' | 'rate_unknown' | undefined {
  if (isRoutePriceLocked(order, transfer.block.time)) return undefined;
  const rate = rateAt(transfer);
  if (!rate) return peggedRate(payment.receiveAsset, payment.currency) ? undefined : 'rate_unknown';
  const netMinor = payment.amountMinor - order.serviceFeeMinor;
  const required = outputFor(netMinor, receiveAssetOf(payment), rate);
  return transfer.amountUnits < required - toleranceUnits(required, netMinor, toleranceBps) ? 'underpaid' : undefined;
}

/**
 * Money of which nothing pays in full: the payment must show all that the merchant received, directly or by its orders, also
 * two transfers of one order's exact output.
 */
function moneyInParts({ transfers }: AssessedPayment, last: StoredTransfer): Money {
  const parts = transfers.filter((one) => one.id !== last.id && one.status === 'final').concat(last);
  return {
    outputUnits: parts.reduce((sum, part) => sum + part.amountUnits, 0n),
    txHash: last.txHash,
    txHashes: [...new Set(parts.map((part) => part.txHash))],
  };
}

/** The route as the payment shows it. */
export function routedChoice(
  order: Pick<StoredOrder, 'payAsset' | 'payNetwork' | 'serviceFeeMinor' | 'requiredUnits'>,
): Choice {
  return {
    route: 'routed',
    payAsset: order.payAsset,
    payNetwork: order.payNetwork,
    serviceFeeMinor: order.serviceFeeMinor,
    expectedOutputUnits: order.requiredUnits,
  };
}

/** The deposit was reported before the session expired, or the payout arrived before the quote's deadline. */
function isInTime({ payment }: AssessedPayment, order: StoredOrder, transfer: StoredTransfer): boolean {
  if (payment.status === 'routing' || payment.status === 'settling') return true;
  const deposited = order.depositedAt !== null && order.depositedAt.getTime() <= payment.expiresAt.getTime();
  return deposited || transfer.block.time.getTime() <= order.deadline.getTime();
}
