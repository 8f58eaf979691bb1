import { Foot } from './foot.tsx';
import type { MessageKey, Translate } from './i18n/messages.ts';
import { coinAmount, displayMoney, displayNumber, isOneToOne, isPositive, unitPrice } from './money.ts';
import { networkName } from '../networks/networks.ts';
import { type CheckoutPage, type EndStatus, stageOf } from './page-state.ts';
import { OrderNumber } from './order-number.tsx';
import { plainText } from './plain-text.ts';
import { overpaidPart, refundedPart } from './refunded.ts';
import { RefundRows } from './refunds.tsx';
import type { ReceiptOptions } from './renderer.ts';
import { QrCode } from './qr-code.tsx';
import { merchantName, Summary } from './summary.tsx';
import { Transactions } from './transactions.tsx';

/** The permanent receipt of a payment: plain and printable. */
export function Receipt({ page, receipt, t }: { page: CheckoutPage; receipt: ReceiptOptions; t: Translate }) {
  const { session } = page;
  const { url, signedUrl } = receipt;
  return (
    <div class="checkout receipt" data-stage="receipt">
      {!session.livemode && <aside class="test-banner">{t('test_banner')}</aside>}
      <div class="card">
        <Summary page={page} t={t} />
        <main class="stage">
          <h2>{t('receipt_title')}</h2>
          <ReceiptFacts page={page} receipt={receipt} t={t} />
          <Transactions page={page} t={t} />
          <Actions sessionId={session.id} t={t} />
          <div class="receipt-code">
            <QrCode text={url} label={t('receipt_qr_alt')} />
            <p class="quiet">{t('receipt_link')}</p>
          </div>
          {signedUrl && (
            <a href={signedUrl} download>
              {t('receipt_signed')}
            </a>
          )}
        </main>
      </div>
      <Foot page={url} locale={page.locale} merchant={merchantName(page, t)} isPaid={session.status === 'paid'} t={t} />
    </div>
  );
}

/** Who was paid how much, how, and when. */
function ReceiptFacts({ page, receipt, t }: { page: CheckoutPage; receipt: ReceiptOptions; t: Translate }) {
  const { session } = page;
  const { paidAt, details } = receipt;
  const { currency } = session;
  // Nothing was paid with a coin that was only chosen.
  const payment = session.payment && isPositive(session.payment.amount_received) ? session.payment : null;
  const price = payment && !isOneToOne(payment.asset, currency) ? unitPrice(session.amount, payment.amount) : null;
  const refunded = refundedPart(page, t);
  const over = overpaidPart(page);
  return (
    <dl class="facts">
      <OrderNumber id={page.orderId} t={t} />
      <Fact name={t('receipt_number')}>
        <bdi dir="ltr">
          <code>{session.id}</code>
        </bdi>
      </Fact>
      <Fact name={t('status_region')}>
        <span class={`status status-${session.status}`}>
          {t(STATUS[stageOf(page)] ?? `${session.status as EndStatus}_title`)}
        </span>
      </Fact>
      <Fact name={t('paid_to')}>
        <bdi>{merchantName(page, t)}</bdi>
        {details?.split('\n').map((line, at) => (
          <div key={at} class="quiet">
            <bdi>{plainText(line)}</bdi>
          </div>
        ))}
      </Fact>
      <Fact name={t('amount_label')}>
        <bdi dir="ltr">{displayMoney(session.amount, currency, page.locale)}</bdi>
      </Fact>
      {payment && (
        <Fact name={t('paid_with')}>
          <bdi dir="ltr">
            {coinAmount(payment.amount_received, page.locale)} {payment.asset}
          </bdi>{' '}
          {t('on_network', { network: networkName(payment.network) })}
        </Fact>
      )}
      {payment && price && (
        <Fact name={t('exchange_rate')}>
          <bdi dir="ltr">{t('rate', { asset: payment.asset, price: displayNumber(price, page.locale), currency })}</bdi>
        </Fact>
      )}
      {over && (
        <Fact name={t('overpaid')}>
          <bdi dir="ltr">{over}</bdi>
        </Fact>
      )}
      {refunded && <Fact name={t('refunded_title')}>{refunded}</Fact>}
      <RefundRows page={page} t={t} />
      {paidAt && (
        <Fact name={t('paid_at')}>
          <time dateTime={paidAt}>{displayTime(paidAt, page.locale)}</time>
        </Fact>
      )}
    </dl>
  );
}

function Actions({ sessionId, t }: { sessionId: string; t: Translate }) {
  return (
    <div class="actions">
      <button type="button" class="primary with-script" data-print>
        {t('print')}
      </button>
      <a class="button" href={`/checkout/${sessionId}`}>
        {t('back')}
      </a>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** An undecided status shows its progress. */
const STATUS: Partial<Record<ReturnType<typeof stageOf>, MessageKey>> = {
  choose: 'waiting',
  refund_address: 'waiting',
  pay: 'waiting',
  top_up: 'top_up_title',
  closing: 'closing_title',
  confirming: 'confirming_title',
  converting: 'converting_title',
  delivering: 'delivering_title',
};

/** In UTC. A script shows it in the reader's time. */
function displayTime(instant: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
    numberingSystem: 'latn',
  }).format(new Date(instant));
}
