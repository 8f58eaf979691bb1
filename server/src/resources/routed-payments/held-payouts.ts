import type { Transaction } from '../../platform/db/db.ts';
import { settlePayout } from '../../settlement/outcome/settle.ts';
import type { Instants, Settlement } from '../../settlement/records/settlement.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';
import { findTransfersOf } from '../../settlement/records/transfer-store.ts';

/** Settles transfers of an order's exact output that became final before the provider answered. */
export async function settleHeldPayouts(
  ctx: Settlement['ctx'],
  db: Transaction,
  order: Pick<StoredOrder, 'paymentId' | 'outputUnits'>,
  at: Instants,
): Promise<void> {
  const transfers = await findTransfersOf(db, [order.paymentId]);
  for (const transfer of transfers) {
    const isExact = transfer.amountUnits === order.outputUnits && transfer.status === 'final';
    const isJudged = transfer.attributedBy === 'route' || transfer.attributedBy === 'amount';
    if (!isExact || !isJudged) continue;
    const payment = (await lockPayments(db, [order.paymentId])).get(order.paymentId);
    if (payment) await settlePayout({ ctx, db, at }, payment, transfer);
  }
}
