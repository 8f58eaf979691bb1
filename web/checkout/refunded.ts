import type { Translate } from './i18n/messages.ts';
import {
  coinAmount,
  differsNoticeably,
  displayMoney,
  displayNumber,
  isPositive,
  sum,
  surplus,
  surplusOf,
} from './money.ts';
import type { CheckoutPage } from './page-state.ts';

/**
 * What the merchant returned, `9.80 of 98.00 USD`, or `9.80 USD` if it is of a surplus, as all above the price is; null while
 * it is nothing.
 */
export function refundedPart(page: CheckoutPage, t: Translate): string | null {
  const { session, locale } = page;
  const { refunded_amount: part, amount, currency, status } = session;
  if (!isPositive(part)) return null;
  if ((status === 'paid' && overpaidPart(page)) || surplus(part, amount)) return displayMoney(part, currency, locale);
  return t('refunded_part', { part: displayNumber(part, locale), amount: displayMoney(amount, currency, locale) });
}

/** What arrived above the price, `9.809515 USDC`. */
export function overpaidPart({ session: { payment }, locale }: CheckoutPage): string | null {
  const over = payment && surplusOf(payment);
  return over && `${coinAmount(over, locale)} ${payment.asset}`;
}

/** Whether the refunds cover all that arrived. If not, the merchant still decides about the rest. */
export function isRefundedWhole({ session: { payment }, refund, refunds = [] }: CheckoutPage): boolean {
  // A conversion pays out another coin than the customer sent, so the two cannot be compared.
  if (!refund || payment?.kind !== 'direct') return refund !== undefined;
  const back = [refund, ...refunds].reduce((all, { amount }) => sum(all, amount), '0');
  return !surplus(payment.amount_seen, back) || !differsNoticeably(payment.amount_seen, back);
}
