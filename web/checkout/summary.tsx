import type { ComponentChildren } from 'preact';
import type { Translate } from './i18n/messages.ts';
import { displayMoney, displayNumber } from './money.ts';
import { orderLines } from './order-lines.ts';
import type { CheckoutPage, PublicSession } from './page-state.ts';
import { plainText } from './plain-text.ts';

type LineItems = NonNullable<PublicSession['line_items']>;

/**
 * The merchant, the amount and the order. `isOpen`: something is still to be paid. Phones then show the order on
 * request, so that the first action is visible.
 */
export function Summary({
  page,
  t,
  timer,
  isOpen,
}: {
  page: CheckoutPage;
  t: Translate;
  timer?: ComponentChildren;
  isOpen?: boolean;
}) {
  const { amount, currency, description, line_items: items } = page.session;
  const name = merchantName(page, t);
  const hasDetails = description !== null || (items !== null && items.length > 0);
  return (
    <header class="summary">
      <div class="summary-head">
        <Merchant name={name} logo={page.logo} />
        {timer}
      </div>
      <div class="price">
        <h1>
          <span class="visually-hidden">{t('title', { merchant: name })}: </span>
          <bdi class="total" dir="ltr">
            {displayMoney(amount, currency, page.locale)}
          </bdi>
        </h1>
        {isOpen && <Estimate text={page.estimate} t={t} />}
      </div>
      {hasDetails && isOpen && (
        <details class="order on-phone">
          <summary>{t('details')}</summary>
          <OrderDetails page={page} t={t} />
        </details>
      )}
      {hasDetails && (
        <div class={isOpen ? 'order on-desktop' : 'order'}>
          <OrderDetails page={page} t={t} />
        </div>
      )}
    </header>
  );
}

/** Beside a price. The server draws it once, so that nothing moves when the page comes to life. */
export function Estimate({ text, t }: { text: string | null | undefined; t: Translate }) {
  return text ? (
    <p class="quiet">
      <span class="visually-hidden">{t('estimate')}: </span>≈&nbsp;<bdi>{text}</bdi>
    </p>
  ) : null;
}

function OrderDetails({ page, t }: { page: CheckoutPage; t: Translate }) {
  const { description, line_items: items } = page.session;
  const isTold = items?.length === 1 && items[0]?.name === description;
  return (
    <>
      {description && !isTold && (
        <p class="description">
          <bdi>{plainText(description)}</bdi>
        </p>
      )}
      {items && items.length > 0 && <Lines page={page} items={items} t={t} />}
    </>
  );
}

/** Each line with its total, and the sum. */
function Lines({ page, items, t }: { page: CheckoutPage; items: LineItems; t: Translate }) {
  const { amount, currency } = page.session;
  const { lines, rest } = orderLines(items, amount);
  const money = (value: string) => <bdi dir="ltr">{displayMoney(value, currency, page.locale)}</bdi>;
  return (
    <ul class="items" aria-label={t('details')}>
      {lines.map((line, at) => (
        <li key={at}>
          <span>
            <bdi>{plainText(line.name)}</bdi>
            {line.quantity > 1 && (
              <span class="quiet">
                {' '}
                <bdi dir="ltr">
                  {line.quantity} ×{line.unit !== null && ` ${displayNumber(line.unit, page.locale)}`}
                </bdi>
              </span>
            )}
          </span>
          {money(line.amount)}
        </li>
      ))}
      {rest !== null && (
        <li>
          <span>{t('not_itemized')}</span>
          {money(rest)}
        </li>
      )}
      <li class="items-total">
        <span>{t('total')}</span>
        {money(amount)}
      </li>
    </ul>
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
