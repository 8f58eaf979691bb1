import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { type AssessedPayment, assessPayments } from '../../settlement/outcome/assessed-payment.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { findOrders, type StoredOrder } from '../../settlement/records/route-order-store.ts';
import { findNotCounted } from './money-store.ts';
import type { MoneyJson } from '@quittance/contract/dashboard';

/** Where the money of a payment is: the amount due, what arrived, who holds it, and the order. */
export async function readMoney(ctx: Context, account: Account, id: string): Promise<MoneyJson> {
  const payment = (await findPayment(ctx.db, account, id)) ?? fail('not_found', { param: 'id' });
  const { assessed, holder, order } = await locateMoney(ctx, ctx.db, payment);
  const target = assessed.targets.at(-1);
  return {
    asked: target
      ? {
          amount: presentUnits(target.amountUnits, target.asset, target.network),
          asset: target.asset,
          network: target.network,
        }
      : null,
    detected: presentUnits(assessed.direct.seenUnits, payment.receiveAsset, payment.receiveNetwork),
    holder,
    order: order && (holder === 'provider' || holder === 'customer') ? presentOrder(order) : null,
    not_counted: (await findNotCounted(ctx.db, payment.id)).map(({ id, amountUnits, asset, network, reason }) => ({
      transfer: id,
      amount: presentUnits(amountUnits, asset, network),
      asset,
      network,
      reason,
    })),
  };
}

/** The holder of a payment's money, and the order that it is in or was returned from. */
export async function locateMoney(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  payment: Payment,
): Promise<{ assessed: AssessedPayment; holder: MoneyJson['holder']; order: StoredOrder | undefined }> {
  const assessed = (await assessPayments(ctx, db, [payment])).get(payment.id);
  invariant(assessed, 'every payment has an assessment');
  const orders = await findOrders(db, payment.id);
  const order = orders.findLast((one) => one.state !== 'waiting') ?? orders.at(-1);
  return { assessed, holder: holderOf(payment, order, assessed.direct.seenUnits), order };
}

/**
 * Who holds the customer's money now. A provider holds it from the deposit until its payout arrives or it is returned.
 */
export function holderOf(
  payment: Pick<Payment, 'status' | 'actualOutputUnits'>,
  order: Pick<StoredOrder, 'state' | 'depositedUnits'> | undefined,
  detectedUnits: bigint,
): MoneyJson['holder'] {
  if (payment.status === 'refunded') return 'none';
  if ((payment.actualOutputUnits ?? 0n) > 0n || detectedUnits > 0n) return 'merchant';
  switch (order?.state) {
    case undefined:
      return 'none';
    case 'returned':
      return 'customer';
    case 'waiting':
    case 'dead':
      return payment.status === 'refund_required' ? 'provider' : 'none';
    case 'seen':
      return order.depositedUnits === null ? 'none' : 'provider';
    case 'short':
    case 'converting':
    case 'delivering':
    case 'done':
    case 'stuck':
      return 'provider';
  }
}

function presentOrder(order: StoredOrder): NonNullable<MoneyJson['order']> {
  return {
    provider: order.provider,
    reference: order.reference,
    deposit_address: order.depositAddress,
    deposited:
      order.depositedUnits === null ? null : presentUnits(order.depositedUnits, order.payAsset, order.payNetwork),
    asset: order.payAsset,
    network: order.payNetwork,
    refund_address: order.refundAddress,
  };
}
