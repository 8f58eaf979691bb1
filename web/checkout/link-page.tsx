import type { Translate } from './i18n/messages.ts';
import type { LinkPage } from './renderer.ts';
import { displayMoney } from './summary.tsx';

/** A payment link's page. Only its button opens a session; a mere visit never does. */
export function LinkPageView({ page, t }: { page: LinkPage; t: Translate }) {
  return (
    <div class="checkout">
      {!page.livemode && <p class="test-banner" role="note">{t('test_banner')}</p>}
      <div class="card">
        <header class="summary">
          <div class="merchant">
            {page.merchant.logo_url && <img src={page.merchant.logo_url} alt="" width={40} height={40} />}
            <bdi>{page.merchant.name ?? t('merchant_fallback')}</bdi>
          </div>
          <h1><bdi class="total" dir="ltr">{displayMoney(page.amount, page.currency, page.locale)}</bdi></h1>
          <p class="description"><bdi>{page.description}</bdi></p>
        </header>
        <main class="stage">
          <form method="post" action={`/pay/${page.id}/open`}>
            <input type="hidden" name="idempotency_key" value={page.idempotencyKey} />
            <button class="primary wide">{t('link_pay', { amount: page.amount, currency: page.currency })}</button>
          </form>
          <p class="quiet">{t('fee_line_direct')}</p>
        </main>
      </div>
      <footer class="foot">{t('powered')}</footer>
    </div>
  );
}
