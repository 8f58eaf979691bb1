import { later, MINUTE_MS } from '../../platform/time.ts';
import type { Choice, Money, Observation } from './lifecycle.ts';
import { receiveAssetOf, type Standing } from './standing.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { outputFor, peggedRate, toleranceUnits } from '../records/amounts.ts';
import { isRoutePriceLocked } from '../records/price-lock.ts';
import type { StoredOrder } from '../records/route-order-store.ts';

/** A provider that pays out has long seen the deposit. One that reports none this long after the payout's block did not pay it. */
const MAX_REPORT_LAG_MS = 10 * MINUTE_MS;

/** The order that a transfer may be the payout of: by the exact output, or because the provider named it. */
export function orderOf(orders: readonly StoredOrder[], transfer: StoredTransfer): StoredOrder | undefined {
  return (
    orders.find((one) => one.outputUnits === transfer.amountUnits) ??
    orders.find((one) => one.payoutTxHashes.includes(transfer.txHash))
  );
}

/**
 * Who sent a transfer of an order's exact output. Providers publish that amount, so anybody can send it: it is a payout only where the
 * provider worked with a deposit or names the transaction. An announced deposit is not enough, because its sender can take it back.
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
  // Nobody asks the provider any more, or it was asked late enough to know.
  const isOver = order.dueAt === null;
  const isAnswered = order.polledAt !== null && order.polledAt > later(transfer.block.time, MAX_REPORT_LAG_MS);
  return isOver || isAnswered ? 'customer' : 'unknown';
}

/**
 * What a provider's final payout means for a payment. Only the exact output that was asked for is `paid`, and only where it is worth the
 * price: after the lock that is the price of the payout's minute. Anything less the merchant may accept.
 */
export function observePayout(
  standing: Standing,
  orders: readonly StoredOrder[],
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Date,
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
      money: moneyInParts(standing, orders, transfer),
    };
  const isLate = !isInTime(standing, order, transfer);
  const shortfall = isLate ? undefined : shortfallOf(standing, order, transfer);
  if (shortfall)
    return { type: 'route_short', ...common, reason: shortfall, money: moneyInParts(standing, orders, transfer) };
  const isPaid = !isLate && standing.payment.status !== 'refund_required';
  const whole: Money = { outputUnits: transfer.amountUnits, txHash: transfer.txHash, txHashes: [transfer.txHash] };
  return {
    type: isLate ? 'route_delivered_late' : 'route_delivered',
    ...common,
    money: isPaid ? whole : moneyInParts(standing, orders, transfer),
  };
}

/** Why a whole output is not worth the price it was asked for; undefined where it is, or where that price still holds. */
function shortfallOf(
  { payment, rateAt, toleranceBps }: Standing,
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

/** What came in parts that are no order's whole, directly ones too: where nothing pays it in full, all that the merchant has must show. */
function moneyInParts({ transfers }: Standing, orders: readonly StoredOrder[], last: StoredTransfer): Money {
  const isWhole = (amountUnits: bigint) => orders.some((order) => order.outputUnits === amountUnits);
  const parts = transfers
    .filter(
      (one) =>
        one.id !== last.id && one.status === 'final' && !(one.attributedBy === 'route' && isWhole(one.amountUnits)),
    )
    .concat(last);
  return {
    outputUnits: parts.reduce((sum, part) => sum + part.amountUnits, 0n),
    txHash: last.txHash,
    txHashes: [...new Set(parts.map((part) => part.txHash))],
  };
}

/** A route as a payment shows it. */
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

/** The deposit was reported before the session expired, or all was delivered while the quote still bound the provider. */
function isInTime({ payment }: Standing, order: StoredOrder, transfer: StoredTransfer): boolean {
  if (payment.status === 'routing' || payment.status === 'settling') return true;
  const deposited = order.depositedAt !== null && order.depositedAt.getTime() <= payment.expiresAt.getTime();
  return deposited || transfer.block.time.getTime() <= order.deadline.getTime();
}
