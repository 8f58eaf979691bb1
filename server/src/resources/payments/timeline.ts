import type { PaymentTimelineJson, RefundStatus } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { findOrders } from '../../settlement/records/route-order-store.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { MAX_REFUNDS, type StoredRefund } from '../refunds/refund.ts';
import { fetchRefunds } from '../refunds/store.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { findPricingTargets } from '../../settlement/records/target-store.ts';
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
    ...(await refunds(ctx.db, payment)),
  ];
  entries.sort((a, b) => a.at.localeCompare(b.at) || a.order - b.order);
  return { payment: payment.id, entries: entries.map(({ order: _, ...entry }) => entry) };
}

async function targets(db: Db, payment: Payment): Promise<Entry[]> {
  const orders = new Map((await findOrders(db, payment.id)).map((order) => [order.targetId, order]));
  // Customers choose as often as they like, so only the newest are read, and those that priced money.
  return (await findPricingTargets(db, [payment.id])).map((target) => {
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

/** The steps of its refunds; without any, what the merchant recorded as refunded. */
async function refunds(db: Db, { id, accountId, livemode, refund: recorded }: Payment): Promise<Entry[]> {
  const filter = { status: null, payment: id, createdAfter: null, createdBefore: null };
  const rows = await fetchRefunds(db, { id: accountId, livemode }, filter, { after: null, limit: MAX_REFUNDS });
  if (rows.length === 0 && recorded)
    return [refundEntry({ ...recorded, toAddress: recorded.address }, recorded.createdAt, 'was recorded')];
  return rows.flatMap((row) =>
    stepsOf(row).map(({ status, at }) =>
      refundEntry(row, at, status === 'final' && row.txHash === null ? 'was recorded' : FATES[status], {
        refund: row.id,
        status,
        tx_hash: status === 'planned' || status === 'requested' ? null : row.txHash,
        ...(status === 'requested' && { address: null }),
      }),
    ),
  );
}

/** What became of a refund, and when. One that was recorded or sent at once was never planned. */
function stepsOf({ status, link, createdAt, sentAt, endedAt }: StoredRefund): { status: RefundStatus; at: Date }[] {
  const plannedAt = link ? (link.proved ? link.answeredAt : link.confirmedAt) : createdAt;
  const steps = [
    ...(link ? [{ status: 'requested' as const, at: createdAt }] : []),
    ...(plannedAt ? [{ status: 'planned' as const, at: plannedAt }] : []),
    ...(sentAt ? [{ status: 'sent' as const, at: sentAt }] : []),
    ...(endedAt ? [{ status, at: endedAt }] : []),
  ];
  return steps.filter(({ at }, place) => steps[place + 1]?.at.getTime() !== at.getTime());
}

const FATES: Record<RefundStatus, string> = {
  requested: 'was requested',
  planned: 'was planned',
  sent: 'was sent',
  final: 'was returned',
  failed: 'failed: no money moved',
  cancelled: 'was cancelled',
};

function refundEntry(
  refund: Pick<StoredRefund, 'amountMinor' | 'toAddress' | 'reason'>,
  at: Date,
  fate: string,
  data: object = {},
): Entry {
  const amount = formatDisplayAmount(refund.amountMinor);
  return entry({
    type: 'refund',
    at,
    summary: `A refund of ${amount} ${fate}.`,
    data: { amount, address: refund.toAddress, reason: refund.reason, ...data },
    order: 50,
  });
}
