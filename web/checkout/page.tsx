import type { ComponentType } from 'preact';
import { Countdown, useSecondsUntil } from './countdown.tsx';
import { Foot } from './foot.tsx';
import { type Catalog, translator } from './i18n/messages.ts';
import { MessageBox } from './message-box.tsx';
import { type CheckoutPage, isOpenStage, type PageProps, type Stage, stageOf } from './page-state.ts';
import { QrCode } from './qr-code.tsx';
import { ChooseStage } from './stages/choose.tsx';
import { PayStage } from './stages/pay.tsx';
import { RefundAddressStage } from './stages/refund-address.tsx';
import { merchantName, Summary } from './summary.tsx';
import { TestBar } from './test-bar.tsx';

const MINUTES = [5, 1];

/** The stages whose messages are above them. The others place the box themselves. */
const WITHOUT_BOX = new Set<Stage>(['choose', 'refund_address', 'confirming', 'converting', 'delivering']);

interface CheckoutProps {
  page: CheckoutPage;
  catalog: Catalog;
  /** Draws what follows once nothing is to be sent any more. In a browser it is loaded after the beginning. */
  After: ComponentType<PageProps> | null;
}

/** The checkout page: the order on one side, the next step on the other. */
export function Checkout({ page, catalog, After }: CheckoutProps) {
  const t = translator(page.locale, catalog);
  const stage = stageOf(page);
  const hasHandOff = stage === 'choose' || stage === 'pay';
  const isOpen = isOpenStage(stage);
  return (
    <div class="checkout" data-stage={stage}>
      {!page.session.livemode && <aside class="test-banner">{t('test_banner')}</aside>}
      <div class={hasHandOff ? 'card with-hand-off' : 'card'}>
        <Summary page={page} t={t} timer={isOpen && <Countdown page={page} t={t} />} isOpen={isOpen} />
        <main class="stage">
          {page.tampered ? (
            <p class="error message" role="alert">
              {t('tampered')}
            </p>
          ) : (
            <>
              {WITHOUT_BOX.has(stage) && <MessageBox page={page} t={t} />}
              <StageOf page={page} After={After} t={t} />
            </>
          )}
        </main>
        {hasHandOff && <PhoneHandOff page={page} t={t} />}
      </div>
      {!page.session.livemode && <TestBar page={page} t={t} />}
      <Foot
        page={page.links.page}
        locale={page.locale}
        merchant={merchantName(page, t)}
        isPaid={stage === 'paid'}
        step={page}
        t={t}
      />
      {isOpen && stage !== 'refund_address' && <Announcer page={page} t={t} />}
    </div>
  );
}

function StageOf({ After, ...props }: PageProps & Pick<CheckoutProps, 'After'>) {
  switch (stageOf(props.page)) {
    case 'choose':
      return <ChooseStage {...props} />;
    case 'refund_address':
      return <RefundAddressStage {...props} />;
    case 'pay':
    case 'top_up':
      return <PayStage {...props} />;
    default:
      return After && <After {...props} />;
  }
}

/** Continues on a phone with the wallet: both pages follow the same session. */
function PhoneHandOff({ page, t }: PageProps) {
  return (
    <aside class="hand-off on-desktop" aria-label={t('phone_title')}>
      <details>
        <summary>{t('phone_title')}</summary>
        <p class="quiet">{t('phone_text')}</p>
        <QrCode text={page.links.page} label={t('phone_alt')} />
      </details>
    </aside>
  );
}

/**
 * Announces the remaining time to screen readers only twice, because an announcement every second would hide everything
 * else.
 */
function Announcer({ page, t }: PageProps) {
  const seconds = useSecondsUntil(page, page.session.expires_at);
  const minutes = seconds === null ? undefined : MINUTES.findLast((one) => seconds <= one * 60);
  return (
    <p class="visually-hidden" role="status">
      {minutes === undefined ? '' : t('announce_minutes', { count: minutes })}
    </p>
  );
}
