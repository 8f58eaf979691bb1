import { clock, useSecondsUntil } from './countdown.tsx';
import { displayNumber, isOneToOne, plainAmount, unitPrice } from './money.ts';
import type { PageProps } from './page-state.ts';

/** The coin's price, and how long the amount is valid. It is renewed in place. */
export function QuoteLine({ page, t }: PageProps) {
  const { amount, currency, payment } = page.session;
  const seconds = useSecondsUntil(page, payment?.quote_expires_at ?? null);
  if (!payment) return null;
  const price = isOneToOne(payment.asset, currency) ? null : unitPrice(amount, payment.amount);
  if (price === null && seconds === null) return null;
  return (
    <div class="quote">
      <p>
        {price !== null && (
          <bdi dir="ltr">{t('rate', { asset: payment.asset, price: displayNumber(price, page.locale), currency })}</bdi>
        )}
        {seconds !== null && <span class="quiet">{t('rate_renews', { time: clock(seconds) })}</span>}
      </p>
      <p role="status" class="repriced">
        {page.repriced ? t('rate_changed', { amount: plainAmount(payment.amount), asset: payment.asset }) : ''}
      </p>
    </div>
  );
}
