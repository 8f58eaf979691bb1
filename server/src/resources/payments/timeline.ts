import type { PaymentTimelineJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { findOrders } from '../../settlement/records/route-order-store.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { findTargets } from '../../settlement/records/target-store.ts';
import { type Entry, findStatusEntries, findTransferEntries, findAttemptEntries, entry } from './timeline-store.ts';

/** Everything that happened to a payment, with the evidence, oldest first. */
export async function readTimeline(
  ctx: Pick<Context, 'db'>,
  account: Account,
  id: string,
): Promise<PaymentTimelineJson> {
  const payment = (await findPayment(ctx.db, account, id)) ?? fail('not_found', { param: 'id' });
  const entries = [
    ...(await targets(ctx.db, payment)),
    ...(await findTransferEntries(ctx.db, payment)),
    ...(await findStatusEntries(ctx.db, payment)),
    ...(await findAttemptEntries(ctx.db, payment)),
    ...refund(payment),
  ];
  entries.sort((a, b) => a.at.localeCompare(b.at) || a.order - b.order);
  return { payment: payment.id, entries: entries.map(({ order: _, ...entry }) => entry) };
}

async function targets(db: Db, payment: Payment): Promise<Entry[]> {
  const orders = new Map((await findOrders(db, payment.id)).map((order) => [order.targetId, order]));
  return (await findTargets(db, [payment.id])).map((target) => {
    const amount = presentUnits(target.amountUnits, target.asset, target.network);
    const order = orders.get(target.id);
    const data = {
      kind: target.kind,
      asset: target.asset,
      network: target.network,
      address: target.address,
      amount,
      rate: target.rate,
      locked_until: target.lockedUntil.toISOString(),
      sender: target.sender,
    };
    return order
      ? entry({
          type: 'quote',
          at: target.createdAt,
          summary: `${order.provider} quoted a conversion of ${amount} ${target.asset}.`,
          data: {
            ...data,
            provider: order.provider,
            order: order.id,
            refund_address: order.refundAddress,
            state: order.state,
            expected_output: presentUnits(order.requiredUnits, payment.receiveAsset, payment.receiveNetwork),
            deadline: order.deadline.toISOString(),
          },
          order: 1,
        })
      : entry({
          type: 'target',
          at: target.createdAt,
          summary: `Asked the customer for exactly ${amount} ${target.asset}.`,
          data,
          order: 1,
        });
  });
}

function refund({ refund: recorded }: Payment): Entry[] {
  if (!recorded) return [];
  const amount = formatDisplayAmount(recorded.amountMinor);
  return [
    entry({
      type: 'refund',
      at: recorded.createdAt,
      summary: `A refund of ${amount} was recorded.`,
      data: { amount, address: recorded.address, reason: recorded.reason },
      order: 50,
    }),
  ];
}
