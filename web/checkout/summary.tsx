import type { Translate } from './i18n/messages.ts';
import type { CheckoutPage } from './page-state.ts';

/** Who is paid, how much, and what for. */
export function Summary({ page, t }: { page: CheckoutPage; t: Translate }) {
  const { merchant, amount, currency, description, line_items: items } = page.session;
  const name = merchantName(page, t);
  return (
    <header class="summary">
      <div class="merchant">
        {merchant.logo_url && <img src={merchant.logo_url} alt="" width={40} height={40} />}
        <bdi>{name}</bdi>
      </div>
      <h1>
        <span class="visually-hidden">{t('title', { merchant: name })}: </span>
        <bdi class="total" dir="ltr">{displayMoney(amount, currency, page.locale)}</bdi>
      </h1>
      {description && <p class="description"><bdi>{description}</bdi></p>}
      {items && items.length > 0 && (
        <ul class="items" aria-label={t('details')}>
          {items.map((item, at) => (
            <li key={at}>
              <span><bdi>{item.name}</bdi>{item.quantity > 1 && <span class="quiet"> × {item.quantity}</span>}</span>
              <bdi dir="ltr">{displayMoney(item.amount, currency, page.locale)}</bdi>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

export function merchantName(page: CheckoutPage, t: Translate): string {
  return page.session.merchant.name ?? t('merchant_fallback');
}

/** `49.00 USD` as the locale writes it, the ISO code always visible. Takes the decimal string as it is, without floats. */
export function displayMoney(amount: string, currency: string, locale: string): string {
  const formatted = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2, numberingSystem: 'latn' })
    .format(amount as unknown as number);
  return `${formatted} ${currency}`;
}
