import { isOpenPayment } from '../../settlement/records/payment.ts';
import { isDeposited, type StoredOrder } from '../../settlement/records/route-order-store.ts';
import type { AssessedPayment } from '../../settlement/outcome/assessed-payment.ts';
import type { Target } from '../../settlement/records/target-store.ts';

/** The target where the customer's money is; without money, the newest choice. */
export function shownTarget(
  { payment, targets, transfers }: Pick<AssessedPayment, 'payment' | 'targets' | 'transfers'>,
  orders: readonly StoredOrder[],
): Target | undefined {
  if (transfers.some((transfer) => transfer.attributedBy !== 'route'))
    return targets.findLast((target) => target.kind === 'direct');
  const newest = targets.at(-1);
  const isOpen = isOpenPayment(payment);
  const chosen = isOpen ? newest : { asset: payment.payAsset, network: payment.payNetwork };
  const isChosen = (coin: Pick<Target, 'asset' | 'network'>) =>
    coin.asset === chosen?.asset && coin.network === chosen?.network;
  const moneyOf = (order: StoredOrder) =>
    isOpen ? isDeposited(order) || (isPartial(order) && isChosen(coinOf(order))) : hadMoney(order);
  const withMoney = orders.filter(moneyOf);
  const order = withMoney.findLast((one) => isChosen(coinOf(one))) ?? withMoney.at(-1);
  if (order) return targets.find((target) => target.id === order.targetId);
  return isOpen ? newest : (targets.findLast(isChosen) ?? newest);
}

/** Neither the customer nor its provider has said that anything was sent. */
export function isWithoutMoney({ state }: Pick<StoredOrder, 'state'>): boolean {
  return state === 'waiting' || state === 'dead';
}

/** A part of a deposit, or an announced one: the customer may still choose another coin, and then sees that. */
function isPartial({ state }: StoredOrder): boolean {
  return state === 'short' || state === 'seen';
}

/** Whether the provider had the customer's money, or a part of it. Anyone's hint makes an order `seen`. */
function hadMoney(order: StoredOrder): boolean {
  const { state, depositedUnits } = order;
  return state === 'seen' ? depositedUnits !== null : !isWithoutMoney(order);
}

function coinOf({ payAsset, payNetwork }: StoredOrder): Pick<Target, 'asset' | 'network'> {
  return { asset: payAsset, network: payNetwork };
}
