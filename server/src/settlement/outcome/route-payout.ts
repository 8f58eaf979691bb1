import type { Db } from '../../platform/db/db.ts';
import type { Choice, Money, Observation } from './lifecycle.ts';
import type { Standing } from './standing.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { findOrders, type StoredOrder } from '../records/route-order-store.ts';

/**
 * What a provider's final payout means for a payment. Only the exact output that was asked for is `paid`; a payout that
 * the provider named but that is less is a short delivery, which the merchant may accept.
 */
export async function observePayout(
  db: Db,
  standing: Standing,
  transfer: StoredTransfer,
  evidence: Record<string, unknown>,
  at: Date,
): Promise<Observation | undefined> {
  const orders = await findOrders(db, standing.payment.id);
  const order =
    orders.find((one) => one.outputUnits === transfer.amountUnits) ??
    orders.find((one) => one.payoutTxHashes.includes(transfer.txHash));
  if (!order) return undefined;

  const common = {
    at,
    choice: routedChoice(order),
    evidence: { ...evidence, provider: order.provider, order: order.id },
  };
  if (transfer.amountUnits !== order.outputUnits)
    return { type: 'route_short', ...common, money: moneyInParts(standing, orders, transfer) };
  const isPaid = isInTime(standing, order, transfer) && standing.payment.status !== 'refund_required';
  const whole: Money = { outputUnits: transfer.amountUnits, txHash: transfer.txHash, txHashes: [transfer.txHash] };
  return {
    type: isInTime(standing, order, transfer) ? 'route_delivered' : 'route_delivered_late',
    ...common,
    money: isPaid ? whole : moneyInParts(standing, orders, transfer),
  };
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
