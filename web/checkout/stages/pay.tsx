import { providerName } from '@quittance/contract/route-providers';
import { networkName } from '../../networks/networks.ts';
import { transactionRequest } from '../code-texts.ts';
import { CoinIcon } from '../coin-icon.tsx';
import { Address, Copyable, NotCopyable } from '../copy.tsx';
import { clock, useSecondsUntil } from '../countdown.tsx';
import { Gasless, gaslessWallets, isSignatureSent } from '../gasless.tsx';
import { MessageBox } from '../message-box.tsx';
import {
  withSameDigits,
  coinAmount,
  displayNumber,
  exchangeAmount,
  isBelowOneCent,
  isOneToOne,
  plainAmount,
  surplus,
  unitPrice,
} from '../money.ts';
import { isTooLate, type PageProps, type PublicPayment, stageOf } from '../page-state.ts';
import { Code, PaymentCode } from '../payment-code.tsx';
import { PhoneWallets } from '../phone-wallets.tsx';
import { TestWallet } from '../test-bar.tsx';
import { Hash } from '../transactions.tsx';
import { usualTime } from '../usual-time.ts';
import { isByReference, isByWalletOnly, WalletChoice } from '../wallet-choice.tsx';
import { AlreadySent } from './already-sent.tsx';
import { ExchangeGuide } from './exchange.tsx';
import { FeeRows, RefundTo } from './fees.tsx';

const MAX_LARGE_LENGTH = 14;

/** What to send, where, and how: by a wallet here, by the QR code, or by hand. */
export function PayStage({ page, t }: PageProps) {
  const { payment, livemode } = page.session;
  const { wallet } = page;
  if (!payment) return null;
  const isTopUp = stageOf(page) === 'top_up';
  const exact = plainAmount(isTopUp ? payment.amount_due : payment.amount);
  const atExchange = payment.kind === 'routed' ? exchangeAmount(exact) : exact;
  const amount = page.exchange ? atExchange : exact;
  // A sent amount must not be sent twice, so the details are hidden.
  const isSent = wallet?.step === 'sent';
  const isStale = Boolean(page.staleQuote) && page.staleQuote === payment.quote_expires_at;
  // Of two codes side by side, a customer would scan the wrong one.
  const isScanning = wallet?.step === 'scan';
  const isByExchange = page.exchange === true && !isSent && isForExchanges(payment);
  return (
    <section class="pay" aria-labelledby="pay-title">
      <Head page={page} payment={payment} amount={amount} t={t} />
      {!isSent && <QuoteLine page={page} t={t} />}
      <Message page={page} payment={payment} isSent={isSent} t={t} />
      {livemode && !isByExchange && !isStale && (
        <>
          <Gasless page={page} amount={amount} t={t} />
          <WalletChoice page={page} t={t} />
        </>
      )}
      {!livemode && <TestWallet t={t} />}
      {!isSent && !isStale && !isScanning && !isByWalletOnly(payment) && (
        <Details page={page} payment={payment} amount={amount} t={t} />
      )}
      {!isSent && !isStale && isByWalletOnly(payment) && <PhoneWallets page={page} t={t} />}
      <div class="waiting">
        <p class="live" role="status">
          <span class="pulse" aria-hidden="true" />
          {t(isSent ? 'waiting_sent' : isTopUp ? 'waiting_rest' : 'waiting')}
        </p>
      </div>
      {!isSent && livemode && <p class="quiet">{t('waiting_hint')}</p>}
      <Fees page={page} payment={payment} t={t} />
      <div class="expanders">
        {!isSent && !isStale && !isByExchange && isForExchanges(payment) && (
          <details>
            <summary>{t('exchange_title')}</summary>
            <ExchangeGuide payment={payment} amount={atExchange} t={t} />
          </details>
        )}
        <AlreadySent page={page} t={t} />
        {isSent && !isSignatureSent(page) && (
          // Who has canceled the transaction, or lost it, still has to pay, once they have looked at it.
          <details>
            <summary>{t('wallet_not_sent')}</summary>
            <p>{t(wallet.hash ? 'wallet_not_sent_check' : 'wallet_unknown')}</p>
            {wallet.hash && <Hash hash={wallet.hash} network={livemode ? payment.network : undefined} />}
            <p class="aside">
              <a href={`/checkout/${page.session.id}`} data-do="view" data-view="auto">
                {t('try_again')}
              </a>
            </p>
          </details>
        )}
      </div>
      {!isTopUp && !isTooLate(page) && page.session.options.length > 1 && (
        <p class="aside">
          <a href={`/checkout/${page.session.id}?view=choose`} data-do="view" data-view="choose">
            {t('choose_another')}
          </a>
        </p>
      )}
    </section>
  );
}

function Head({ page, payment, amount, t }: PageProps & { payment: PublicPayment; amount: string }) {
  const { asset, network } = payment;
  return (
    <div class="pay-head">
      <CoinIcon asset={asset} network={network} />
      <div>
        <h2 id="pay-title">
          <Title page={page} amount={amount} asset={asset} t={t} />
        </h2>
        <p class="quiet">
          {page.wallet?.step === 'sent' && (
            <bdi dir="ltr">
              {coinAmount(amount, page.locale)} {asset}
            </bdi>
          )}{' '}
          {t('on_network', { network: networkName(network) })}
        </p>
      </div>
    </div>
  );
}

function Title({ page, amount, asset, t }: PageProps & { amount: string; asset: string }) {
  if (isSignatureSent(page)) return t('gasless_sending');
  if (page.wallet?.step === 'sent') return t('wallet_sent');
  if (stageOf(page) === 'top_up') return t('top_up_title');
  return <bdi class={`notranslate ${lengthOf(amount)}`}>{t('send_title', { amount, asset })}</bdi>;
}

/** Coins with 18 decimals have amounts that are set smaller, so that a phone shows all digits in one line. */
function lengthOf(amount: string): 'long' | '' {
  return amount.length > MAX_LARGE_LENGTH ? 'long' : '';
}

function Message({ page, payment, isSent, t }: PageProps & { payment: PublicPayment; isSent: boolean }) {
  const { asset, price_warning_pct: percent } = payment;
  const isTopUp = stageOf(page) === 'top_up';
  const isDear = !isSent && percent !== null;
  const isWalletOnly = !isSent && isByWalletOnly(payment);
  return (
    <MessageBox page={page} t={t}>
      {isTopUp && (
        <p>
          {t('top_up_text', { ...withSameDigits(payment.amount_seen, payment.amount), asset })}{' '}
          {t(payment.kind === 'routed' ? 'top_up_returned' : 'top_up_otherwise')}
        </p>
      )}
      {isDear && (
        <p data-price-warning>{t('price_warning', { percent: displayNumber(String(percent), page.locale) })}</p>
      )}
      {isWalletOnly && <p>{t('send_by_wallet')}</p>}
    </MessageBox>
  );
}

/** The payment details for a wallet app, as a code, or by hand. */
function Details({ page, payment, amount, t }: PageProps & { payment: PublicPayment; amount: string }) {
  const { asset } = payment;
  const isMemo = isByReference(payment);
  return (
    <>
      {!page.exchange && <PhoneWallets page={page} t={t} />}
      <div class="transfer">
        {page.session.livemode ? (
          <PaymentCode
            payment={payment}
            request={page.exchange ? null : transactionRequest(page)}
            isAddressFirst={page.exchange === true}
            amount={amount}
            t={t}
          />
        ) : (
          <Code text={page.links.page} label={t('phone_alt')} t={t}>
            <p class="quiet on-desktop">{t('phone_text')}</p>
          </Code>
        )}
        <div class="transfer-values">
          <Copyable
            label={stageOf(page) === 'top_up' ? t('top_up_amount') : t('send_exactly')}
            copies="amount"
            value={amount}
            action={t('copy_amount')}
            button={t('copy')}
            copied={t('copied')}
          >
            <b class={`exact-amount ${lengthOf(amount)}`} data-amount>
              {coinAmount(amount, page.locale)}
            </b>{' '}
            {asset}
          </Copyable>
          {payment.kind === 'direct' && <WhyExact page={page} payment={payment} amount={amount} t={t} />}
          <Recipient page={page} payment={payment} t={t} />
          {/* Where the amount names the payment, a reference beside it would look like something to enter. */}
          {payment.identified_by === 'reference' && payment.reference && (
            <Copyable
              label={t(isMemo ? 'memo' : 'reference')}
              copies="reference"
              value={payment.reference}
              action={t('copy_reference')}
              button={t('copy')}
              copied={t('copied')}
            >
              <span class="address">{payment.reference}</span>
            </Copyable>
          )}
          {payment.identified_by === 'reference' && (
            <p class="network-only">{t(isMemo ? 'send_with_memo' : 'send_with_reference')}</p>
          )}
        </div>
        {/* On a phone above the code, which the phone itself cannot scan. */}
        {page.exchange && isForExchanges(payment) && (
          <section class="exchange" aria-label={t('from_exchange')}>
            <ExchangeGuide payment={payment} amount={amount} t={t} />
          </section>
        )}
      </div>
    </>
  );
}

/** In test mode a conversion's address is one that no wallet accepts, but the merchant's own takes real money. */
function Recipient({ page, payment, t }: PageProps & { payment: PublicPayment }) {
  if (!page.session.livemode && payment.kind === 'direct')
    return (
      <>
        <NotCopyable label={t('to_address')}>
          <Address address={payment.address} />
        </NotCopyable>
        <p class="network-only">{t('test_address')}</p>
      </>
    );
  return (
    <>
      <Copyable
        label={t('to_address')}
        copies="address"
        value={payment.address}
        action={t('copy_address')}
        button={t('copy')}
        copied={t('copied')}
      >
        <Address address={payment.address} />
      </Copyable>
      <p class="network-only">{t('network_only', { asset: payment.asset, network: networkName(payment.network) })}</p>
    </>
  );
}

/** Explains the digits of the amount, directly below it. */
function WhyExact({ page, payment, amount, t }: PageProps & { payment: PublicPayment; amount: string }) {
  if (payment.identified_by === 'reference') return null;
  const { asset } = payment;
  const isPlainPrice = isOneToOne(asset, page.session.currency) && stageOf(page) !== 'top_up';
  const extra = isPlainPrice ? surplus(amount, page.session.amount) : null;
  return (
    <details class="why">
      <summary>{t('why_amount', { amount })}</summary>
      <p>
        {extra === null
          ? t('why_amount_digits')
          : t(isBelowOneCent(extra) ? 'why_amount_cent' : 'why_amount_extra', { extra, asset })}{' '}
        {t('why_amount_rounded')}
      </p>
    </details>
  );
}

function Fees({ page, payment, t }: PageProps & { payment: PublicPayment }) {
  if (payment.kind === 'direct' && (page.exchange || page.wallet?.step === 'sent')) return null;
  if (payment.kind === 'direct')
    return <p class="quiet">{t(gaslessWallets(page).length > 0 ? 'gasless_fee_note' : 'network_fee_note')}</p>;
  return (
    <dl class="fees">
      <FeeRows page={page} t={t} />
      {payment.provider && (
        <div>
          <dt>{t('converted_by')}</dt>
          <dd>{[providerName(payment.provider), usualTime(page, t)].filter(Boolean).join(' · ')}</dd>
        </div>
      )}
      <RefundTo payment={payment} t={t} />
    </dl>
  );
}

/** An exchange sends amounts, not references. */
function isForExchanges({ identified_by: by }: PublicPayment): boolean {
  return by !== 'reference';
}

/** The coin's price, and how long the amount is valid. It is renewed in place. */
function QuoteLine({ page, t }: PageProps) {
  const { amount, currency, payment } = page.session;
  const seconds = useSecondsUntil(page, payment?.quote_expires_at ?? null);
  if (!payment) return null;
  const price = isOneToOne(payment.asset, currency) ? null : unitPrice(amount, payment.amount);
  if (price === null && seconds === null) return null;
  return (
    <div class="quote notranslate">
      <p>
        {price !== null && (
          <bdi dir="ltr">{t('rate', { asset: payment.asset, price: displayNumber(price, page.locale), currency })}</bdi>
        )}
        {seconds !== null && <span class="quiet">{t('rate_renews', { time: clock(seconds) })}</span>}
      </p>
      <p role="status" class="repriced">
        {page.repriced ? t('rate_changed', { amount: plainAmount(payment.amount), asset: payment.asset }) : ''}
      </p>
    </div>
  );
}
