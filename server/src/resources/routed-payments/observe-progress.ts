import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import type { Observation } from '../../settlement/outcome/lifecycle.ts';
import { observeEnd, type RoutedPayment } from '../../settlement/outcome/route-end.ts';
import { routedChoice } from '../../settlement/outcome/route-payout.ts';

/** What an order's state means for its payment. */
export async function observeProgress(
  ctx: Pick<Context, 'prices'>,
  db: Transaction,
  { payment, order }: RoutedPayment,
  { at, evidence }: Pick<Observation, 'at' | 'evidence'>,
): Promise<Observation | undefined> {
  switch (order.state) {
    case 'waiting':
    case 'seen':
    case 'short':
      return undefined;
    case 'converting':
      return { type: 'route_converting', at, choice: routedChoice(order), evidence };
    case 'delivering':
    case 'done':
      return { type: 'route_delivering', at, choice: routedChoice(order), evidence };
    case 'returned':
      return observeEnd(ctx, db, { payment, order }, { type: 'route_returned', at, evidence });
    case 'stuck':
    case 'dead':
      return observeEnd(
        ctx,
        db,
        { payment, order },
        { type: `route_${order.state}`, at, reason: order.reason ?? 'route_failed', evidence },
      );
  }
}
