import type { ComponentChildren } from 'preact';
import type { Translate } from './i18n/messages.ts';
import { displayMoney } from './money.ts';
import type { CheckoutPage } from './page-state.ts';
import { plainText } from './plain-text.ts';

/** Who is paid, how much, and what for. */
export function Summary({ page, t, children }: { page: CheckoutPage; t: Translate; children?: ComponentChildren }) {
  const { amount, currency, description, line_items: items } = page.session;
  const name = merchantName(page, t);
  return (
    <header class="summary">
      <Merchant name={name} logo={page.logo} />
      <h1>
        <span class="visually-hidden">{t('title', { merchant: name })}: </span>
        <bdi class="total" dir="ltr">
          {displayMoney(amount, currency, page.locale)}
        </bdi>
      </h1>
      {description && (
        <p class="description">
          <bdi>{plainText(description)}</bdi>
        </p>
      )}
      {items && items.length > 0 && (
        <ul class="items" aria-label={t('details')}>
          {items.map((item, at) => (
            <li key={at}>
              <span>
                <bdi>{plainText(item.name)}</bdi>
                {item.quantity > 1 && <span class="quiet"> × {item.quantity}</span>}
              </span>
              <bdi dir="ltr">{displayMoney(item.amount, currency, page.locale)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {children}
    </header>
  );
}

export function Merchant({ name, logo }: { name: string; logo: string | null }) {
  return (
    <div class="merchant">
      {logo ? (
        <img src={logo} alt="" width={40} height={40} />
      ) : (
        <span class="monogram" aria-hidden="true">
          {[...name.trim()][0]?.toUpperCase()}
        </span>
      )}
      <bdi>{name}</bdi>
    </div>
  );
}

export function merchantName({ session }: CheckoutPage, t: Translate): string {
  return nameOf(session.merchant, t);
}

export function nameOf({ name }: { name: string | null }, t: Translate): string {
  return plainText(name ?? '').trim() || t('merchant_fallback');
}
