import { Contact } from './contact.tsx';
import { CoinIcon } from './coin-icon.tsx';
import { Address } from './copy.tsx';
import { Languages } from './foot.tsx';
import type { MessageKey, Translate } from './i18n/messages.ts';
import { coinAmount, displayMoney } from './money.ts';
import { networkName } from '../networks/networks.ts';
import { otherNetwork } from '../networks/other-network.ts';
import { OrderNumber } from './order-number.tsx';
import { plainText } from './plain-text.ts';
import type { RefundPage } from './renderer.ts';
import { Merchant, nameOf } from './summary.tsx';
import { Hash } from './transactions.tsx';

/** The page of a refund that asks its customer where to send it. An address that is typed needs no script. */
export function RefundPageView({ page, t }: { page: RefundPage; t: Translate }) {
  const name = nameOf(page.merchant, t);
  const amount = displayMoney(page.amount, page.currency, page.locale);
  return (
    <div class="checkout" data-stage="refund">
      {!page.livemode && <aside class="test-banner">{t('test_banner')}</aside>}
      <div class="card link-card">
        <header class="summary">
          <Merchant name={name} logo={page.logo} />
          <h1>
            <bdi class="total" dir="ltr">
              {amount}
            </bdi>
          </h1>
          <Purpose page={page} t={t} />
        </header>
        <main class="stage">
          {page.stage === 'ask' && page.review !== null ? (
            <Review page={page} address={page.review} t={t} />
          ) : page.stage === 'ask' ? (
            <Ask page={page} name={name} t={t} />
          ) : (
            <Answered page={page} name={name} t={t} />
          )}
          <Contact merchant={page.merchant} about={t('refund_ask_title', { amount })} page="" t={t} />
        </main>
      </div>
      <footer class="foot">
        <Languages path={page.path} locale={page.locale} t={t} />
      </footer>
    </div>
  );
}

/** What the refund is for, as the customer knows it. */
function Purpose({ page, t }: Pick<Props, 'page' | 't'>) {
  return (
    <>
      {page.description && (
        <p class="description">
          <bdi>{plainText(page.description)}</bdi>
        </p>
      )}
      {page.orderId && (
        <dl class="facts">
          <OrderNumber id={page.orderId} t={t} />
        </dl>
      )}
    </>
  );
}

interface Props {
  page: RefundPage;
  name: string;
  t: Translate;
}

function Ask({ page, name, t }: Props) {
  const { asset, error } = page;
  const network = networkName(page.network);
  const refusal = error === 'address' || error === 'recipient' ? error : null;
  const other = refusal === 'address' ? otherNetwork(page.typed, page.network) : null;
  return (
    <>
      <CoinLine page={page} t={t} />
      <h2>{t('refund_ask_title', { amount: displayMoney(page.amount, page.currency, page.locale) })}</h2>
      <p>{t('refund_ask_text', { merchant: name, amount: page.coinAmount, asset, network })}</p>
      {error !== null && refusal === null && (
        <p class="refused" role="alert">
          {t(ERRORS[error], { network })}
        </p>
      )}
      {page.sign !== null && (
        <form method="post" action={page.path} class="with-script" id="refund-sign" hidden>
          <p>{t('refund_ask_sign')}</p>
          <input type="hidden" name="address" />
          <input type="hidden" name="signature" />
          <div class="wallets" />
          <p role="status" aria-live="polite" />
          <h3>{t('refund_ask_enter')}</h3>
        </form>
      )}
      <form method="post" action={page.path}>
        <input type="hidden" name="review" value="1" />
        <div class="field">
          <label for="refund-address">{t('refund_label', { asset, network })}</label>
          <input
            id="refund-address"
            name="address"
            required
            maxLength={128}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            dir="ltr"
            value={page.typed}
            aria-describedby={refusal ? 'refund-refused refund-own' : 'refund-own'}
            aria-invalid={refusal ? true : undefined}
          />
          {refusal && (
            <p id="refund-refused" class="refused" role="alert">
              {other ? t('error_other_network', { other, network }) : t(ERRORS[refusal], { network })}
            </p>
          )}
          <p id="refund-own" class="quiet">
            {t('refund_own')} {t('refund_ask_check')}
          </p>
        </div>
        <button class="primary wide">{t('continue')}</button>
      </form>
      <p class="quiet">{t('refund_ask_until', { time: displayTime(page.expiresAt, page.locale) })}</p>
    </>
  );
}

function CoinLine({ page, t }: { page: RefundPage; t: Translate }) {
  const { asset, network: code } = page;
  const network = networkName(code);
  return (
    <div class="coin-line">
      <CoinIcon asset={asset} network={code} />
      <span>
        <b dir="ltr">
          {coinAmount(page.coinAmount, page.locale)} {asset}
        </b>{' '}
        {t('on_network', { network })}
      </span>
    </div>
  );
}

/** Shows the address once more: it is the only answer. */
function Review({ page, address, t }: { page: RefundPage; address: string; t: Translate }) {
  return (
    <form method="post" action={page.path}>
      <CoinLine page={page} t={t} />
      <h2>{t('refund_review_title')}</h2>
      <p>
        <Address address={address} />
      </p>
      <p>{t('refund_ask_check')}</p>
      <input type="hidden" name="address" value={address} />
      <button class="primary wide">{t('refund_ask_submit')}</button>
      <p class="aside">
        <button class="link" name="change" value="1">
          {t('refund_review_change')}
        </button>
      </p>
    </form>
  );
}

const ERRORS: Record<NonNullable<RefundPage['error']>, MessageKey<'network'>> = {
  address: 'error_refund_address',
  recipient: 'refund_wrong_recipient',
  wallet: 'refund_wrong_wallet',
  used: 'refund_used',
  busy: 'error_busy',
};

function Answered({ page, name, t }: Props) {
  const { title, text } = STAGES[page.stage as keyof typeof STAGES];
  return (
    <>
      {page.address !== null && <CoinLine page={page} t={t} />}
      <h2>{t(title)}</h2>
      {page.error === 'used' && (
        <p class="refused" role="alert">
          {t('refund_used')}
        </p>
      )}
      <p role="status">{t(text, { merchant: name })}</p>
      {(page.stage === 'named' || page.stage === 'planned') && <p>{t('refund_follow')}</p>}
      {page.address !== null && (
        <dl class="facts">
          <div>
            <dt>{t('refund_goes_to')}</dt>
            <dd>
              <bdi dir="ltr">
                <code>{page.address}</code>
              </bdi>
            </dd>
          </div>
        </dl>
      )}
      {page.txHash !== null && (
        <div class="transactions">
          <h3>{t('transactions')}</h3>
          <Hash hash={page.txHash} network={page.livemode ? page.network : undefined} />
        </div>
      )}
    </>
  );
}

const STAGES: Record<Exclude<RefundPage['stage'], 'ask'>, { title: MessageKey; text: MessageKey<'merchant'> }> = {
  named: { title: 'refund_named_title', text: 'refund_named_text' },
  planned: { title: 'refund_named_title', text: 'refund_planned_text' },
  sent: { title: 'refund_named_title', text: 'refund_sent_text' },
  returned: { title: 'refunded_title', text: 'refund_returned_text' },
  closed: { title: 'refund_closed_title', text: 'refund_closed_text' },
};

/** In UTC: the server does not know the customer's time zone. */
function displayTime(instant: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
    numberingSystem: 'latn',
  }).format(new Date(instant));
}
