import { translator, type Catalog, type Translate } from './i18n/messages.ts';
import { type CheckoutPage, stageOf } from './page-state.ts';
import { ChooseStage } from './stages/choose.tsx';
import { EndStage } from './stages/end.tsx';
import { PayStage } from './stages/pay.tsx';
import { ProgressStage } from './stages/progress.tsx';
import { RefundAddressStage } from './stages/refund-address.tsx';
import { Summary } from './summary.tsx';
import { TestBar } from './test-bar.tsx';

export interface StageProps {
  page: CheckoutPage;
  t: Translate;
}

/** The checkout page: what is paid for on one side, what to do now on the other. */
export function Checkout({ page, catalog }: { page: CheckoutPage; catalog: Catalog }) {
  const t = translator(page.locale, catalog);
  return (
    <div class="checkout" data-stage={stageOf(page)}>
      {!page.session.livemode && <p class="test-banner" role="note">{t('test_banner')}</p>}
      <div class="card">
        <Summary page={page} t={t} />
        <main class="stage">
          {page.error && <p class="error" role="alert">{page.error}</p>}
          {page.offline && <p class="error" role="alert">{t('offline')}</p>}
          {page.tampered ? <p class="error" role="alert">{t('tampered')}</p> : <StageOf page={page} t={t} />}
        </main>
      </div>
      {!page.session.livemode && <TestBar page={page} t={t} />}
      <footer class="foot">{t('powered')}</footer>
    </div>
  );
}

function StageOf(props: StageProps) {
  switch (stageOf(props.page)) {
    case 'choose':
      return <ChooseStage {...props} />;
    case 'refund_address':
      return <RefundAddressStage {...props} />;
    case 'pay':
    case 'top_up':
      return <PayStage {...props} />;
    case 'confirming':
    case 'converting':
    case 'delivering':
      return <ProgressStage {...props} />;
    case 'paid':
    case 'failed':
    case 'expired':
    case 'refund_required':
    case 'refunded':
      return <EndStage {...props} />;
  }
}
