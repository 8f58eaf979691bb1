import { Foot } from './foot.tsx';
import type { Translate } from './i18n/messages.ts';
import { displayMoney } from './money.ts';
import { plainText } from './plain-text.ts';
import type { LinkPage } from './renderer.ts';
import { Merchant, nameOf } from './summary.tsx';

/** A payment link's page. Only its button opens a session; a visit never does. */
export function LinkPageView({ page, t }: { page: LinkPage; t: Translate }) {
  const name = nameOf(page.merchant, t);
  return (
    <div class="checkout" data-stage="link">
      {!page.livemode && <aside class="test-banner">{t('test_banner')}</aside>}
      <div class="card link-card">
        <header class="summary">
          <Merchant name={name} logo={page.logo} />
          <h1>
            <span class="visually-hidden">{t('title', { merchant: name })}: </span>
            <bdi class="total" dir="ltr">
              {displayMoney(page.amount, page.currency, page.locale)}
            </bdi>
          </h1>
          <p class="description">
            <bdi>{plainText(page.description)}</bdi>
          </p>
        </header>
        <main class="stage">
          <form method="post" action={`/pay/${page.id}/open`}>
            <input type="hidden" name="idempotency_key" value={page.idempotencyKey} />
            <button class="primary wide">{t('link_open')}</button>
            <p class="quiet">{t('link_note')}</p>
          </form>
        </main>
      </div>
      <Foot page={page.url} locale={page.locale} merchant={name} t={t} />
    </div>
  );
}
