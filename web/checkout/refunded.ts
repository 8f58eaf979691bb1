import type { Translate } from './i18n/messages.ts';
import { displayMoney, displayNumber, isPositive } from './money.ts';
import type { CheckoutPage } from './page-state.ts';

/** What the merchant returned, `9.80 of 98.00 USD`; null while it is nothing. */
export function refundedPart({ session, locale }: CheckoutPage, t: Translate): string | null {
  const { refunded_amount: part, amount, currency } = session;
  if (!isPositive(part)) return null;
  return t('refunded_part', { part: displayNumber(part, locale), amount: displayMoney(amount, currency, locale) });
}
