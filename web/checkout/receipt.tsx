import type { Translate } from './i18n/messages.ts';
import { networkName } from './names.ts';
import type { CheckoutPage } from './page-state.ts';
import { displayMoney, merchantName, Summary } from './summary.tsx';
import { Transactions } from './transactions.tsx';

/** The permanent receipt of a payment; plain, printable, without a script. */
export function Receipt({ page, t }: { page: CheckoutPage; t: Translate }) {
  const { session } = page;
  const payment = session.payment;
  return (
    <div class="checkout receipt">
      {!session.livemode && <p class="test-banner" role="note">{t('test_banner')}</p>}
      <div class="card">
        <Summary page={page} t={t} />
        <main class="stage">
          <h2>{t('receipt_title')}</h2>
          <dl>
            <dt>{t('status_region')}</dt>
            <dd>{t(`${session.status === 'created' || session.status === 'pending' ? 'confirming' : session.status === 'routing' ? 'converting' : session.status === 'settling' ? 'delivering' : session.status}_title`)}</dd>
            <dt>{t('amount_label')}</dt>
            <dd><bdi dir="ltr">{displayMoney(session.amount, session.currency, page.locale)}</bdi></dd>
            {payment && <>
              <dt>{t('paid_with')}</dt>
              <dd><bdi dir="ltr">{payment.amount_received} {payment.asset}</bdi> {t('on_network', { network: networkName(payment.network) })}</dd>
            </>}
            <dt>{t('order_reference')}</dt>
            <dd><bdi dir="ltr"><code>{session.id}</code></bdi></dd>
          </dl>
          <Transactions payment={payment} t={t} />
          <p class="quiet">{merchantName(page, t)}</p>
        </main>
      </div>
      <footer class="foot">{t('powered')}</footer>
    </div>
  );
}
