import { Contact, contactLink, contactOf } from '../contact.tsx';
import type { MessageKey } from '../i18n/messages.ts';
import { MessageBox } from '../message-box.tsx';
import { coinAmount, isPositive, plainAmount, returnedOf, surplusOf } from '../money.ts';
import { providerHelp, providerName } from '@quittance/contract/route-providers';
import { networkName } from '../../networks/networks.ts';
import {
  type EndStatus,
  isUnknown,
  type PageProps,
  type PublicPayment,
  type PublicSession,
  stageOf,
} from '../page-state.ts';
import { OrderNumber } from '../order-number.tsx';
import { isRefundedWhole, overpaidPart, refundedPart } from '../refunded.ts';
import { RefundRows } from '../refunds.tsx';
import { Returning } from '../returning.tsx';
import { merchantName } from '../summary.tsx';
import { Transactions } from '../transactions.tsx';
import { AlreadySent } from './already-sent.tsx';
import { RefundTo } from './fees.tsx';

/**
 * The end of a session: what happened, where the money is, the next step, and whom to contact. The time may be up while the
 * service still checks whether money arrived in time: that is the same stage, so that a hash that the customer types stays.
 */
export function EndStage({ page, t }: PageProps) {
  const { session } = page;
  const isClosing = stageOf(page) === 'closing';
  const status = isClosing ? 'expired' : (session.status as EndStatus);
  const merchant = merchantName(page, t);
  const asset = session.payment?.asset ?? '';
  const isReturned = isPositive(session.refunded_amount);
  const over = status === 'paid' && !isReturned && session.payment ? surplusOf(session.payment) : null;
  const returned = status === 'paid' && session.payment ? returnedOf(session.payment) : null;
  const said = isClosing ? (['closing_text'] as const) : sentencesOn(page);
  // By its key, what is typed into it stays wherever it stands.
  const sent = status === 'expired' && (
    <AlreadySent
      key="sent"
      page={page}
      t={t}
      isOpenFirst={isClosing}
      isAnswered={said.some((key) => key === 'expired_sought')}
    />
  );
  return (
    <section class={`end end-${status}`} aria-labelledby="end-title">
      <EndMark status={status} />
      <div role="status">
        <h2 id="end-title">{t(isClosing ? 'closing_title' : `${status}_title`)}</h2>
        {said.map((key) => (
          <p key={key}>{t(key, { asset, merchant })}</p>
        ))}
        {page.refund ? (
          <p>
            {t(page.refund.sent ? 'refund_on_its_way' : 'refund_preparing', {
              ...page.refund,
              amount: plainAmount(page.refund.amount),
              merchant,
            })}
          </p>
        ) : (
          over && <p>{t('paid_over', { surplus: over, asset, merchant })}</p>
        )}
        {returned && <p>{t('paid_over_converted', { surplus: returned, asset })}</p>}
      </div>
      <MessageBox page={page} t={t} />
      {/* A customer who has named a transaction must not pay again before it is found. */}
      {isSought(page) && sent}
      {!isClosing && <Outcome page={page} t={t} />}
      {!isSought(page) && sent}
      {!isClosing && <Transactions page={page} t={t} />}
      {(status !== 'paid' || over || page.refund) && !mainContact(page, t) && <Contact {...contactOf(page, t)} t={t} />}
    </section>
  );
}

/** The money, and what the customer can do now. */
function Outcome({ page, t }: PageProps) {
  const { session, links } = page;
  const { status } = session;
  const contact = mainContact(page, t);
  const mayHavePaid = hasMoney(session) || isSought(page) || session.earlier !== undefined;
  const again = mayHavePaid ? undefined : 'primary';
  const retry = retryOf(page);
  const isElsewhere = mayHavePaid || links.restart || retry || session.can_retry;
  return (
    <>
      {status === 'paid' && <PaidWith page={page} t={t} />}
      <RefundedPart page={page} t={t} />
      {(status === 'refund_required' || status === 'failed' || status === 'expired') && <Received page={page} t={t} />}
      {hasMoney(session) && <p>{t('keep_page')}</p>}
      <div class="actions">
        {contact && (
          <a class="button primary" href={contact} rel="noopener noreferrer">
            {t('contact', { merchant: merchantName(page, t) })}
          </a>
        )}
        {status === 'paid' && links.success && <Returning page={page} t={t} />}
        {status === 'paid' && (
          <a class="button" href={`/receipt/${session.id}`}>
            {t('receipt')}
          </a>
        )}
        {retry && (
          <a class={`button ${again ?? ''}`} href={retry}>
            {t('retried_open')}
          </a>
        )}
        {session.can_retry && !links.retry && (
          <form method="post" action={`/checkout/${session.id}/again`}>
            <button class={again}>{t('try_again')}</button>
          </form>
        )}
        {(status === 'expired' || status === 'failed') && links.restart && !isHeld(session) && (
          <a class={`button ${again ?? ''}`} href={links.restart}>
            {t('start_again')}
          </a>
        )}
        {status !== 'paid' && links.cancel && (
          <a
            class={`button ${isElsewhere ? '' : 'primary'}`}
            href={links.cancel}
            target="_top"
            rel="noopener noreferrer"
          >
            {t('back_to_shop')}
          </a>
        )}
      </div>
    </>
  );
}

/** A tick, a clock and an arrow back; anything else is an exclamation mark. */
const SIGNS: Record<string, string> = {
  paid: 'm13 20.5 5 5L28 15',
  expired: 'M20 12v9l6 3.5',
  refunded: 'M26 20H14m5-5.5-5 5.5 5 5.5',
};

function EndMark({ status }: { status: string }) {
  const sign = SIGNS[status] ?? 'M20 12v10m0 5.5v.5';
  return (
    <svg
      class="end-mark"
      viewBox="0 0 40 40"
      width="56"
      height="56"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="2.6"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <circle cx="20" cy="20" r="17" />
      <path d={sign} />
    </svg>
  );
}

/** The paid amount in its coin; the summary shows the price. */
function PaidWith({ page, t }: PageProps) {
  const { payment } = page.session;
  if (!payment || !isPositive(payment.amount_received)) return null;
  return (
    <dl class="facts">
      <div>
        <dt>{t('paid_with')}</dt>
        <dd>
          <bdi dir="ltr">
            {coinAmount(payment.amount_received, page.locale)} {payment.asset}
          </bdi>{' '}
          {t('on_network', { network: networkName(payment.network) })}
        </dd>
      </div>
      {returnedOf(payment) && <RefundTo payment={payment} t={t} />}
    </dl>
  );
}

/** What the merchant returned of the order, or of what was too much. */
function RefundedPart({ page, t }: PageProps) {
  const refunded = refundedPart(page, t);
  const over = overpaidPart(page);
  return (
    refunded && (
      <dl class="facts">
        {over && (
          <div>
            <dt>{t('overpaid')}</dt>
            <dd>
              <bdi dir="ltr">{over}</bdi>
            </dd>
          </div>
        )}
        <div>
          <dt>{t('refunded_title')}</dt>
          <dd>{refunded}</dd>
        </div>
        <RefundRows page={page} t={t} />
      </dl>
    )
  );
}

/** What has arrived, and where a refund would go. */
function Received({ page, t }: PageProps) {
  const { session } = page;
  const { payment } = session;
  if (!payment || !isPositive(payment.amount_seen)) return null;
  return (
    <dl class="facts">
      <OrderNumber id={page.orderId} t={t} />
      <div>
        <dt>{t('received')}</dt>
        <dd>
          <bdi dir="ltr">
            {coinAmount(payment.amount_seen, page.locale)} {payment.asset}
          </bdi>{' '}
          {t('on_network', { network: networkName(payment.network) })}
        </dd>
      </div>
      {isAtProvider(session) && <Holder payment={payment} t={t} />}
      <RefundTo payment={payment} t={t} />
    </dl>
  );
}

/** Whether the conversion provider has the money. */
function isAtProvider(session: PublicSession): boolean {
  const keys = sentences(session);
  return keys.includes('refund_required_at_provider') || keys.includes('expired_returning');
}

/** The holder of the money, and their id of the order. */
function Holder({ payment, t }: { payment: PublicPayment; t: PageProps['t'] }) {
  const { provider, provider_order: order } = payment;
  if (!provider) return null;
  const help = providerHelp(provider);
  const name = providerName(provider);
  return (
    <>
      <div>
        <dt>{t('held_by')}</dt>
        <dd>{name}</dd>
      </div>
      {order && (
        <div>
          <dt>{t('provider_order')}</dt>
          <dd>
            <bdi dir="ltr" class="address">
              {order}
            </bdi>
          </dd>
        </div>
      )}
      {help && (
        <div>
          <dd>
            <a href={help} target="_blank" rel="noopener noreferrer">
              {t('provider_help', { provider: name })}
            </a>
          </dd>
        </div>
      )}
    </>
  );
}

/** A customer whose money may wait for a decision is led to the merchant first: the shop would ask them to pay again. */
function mainContact(page: PageProps['page'], t: PageProps['t']): string | null {
  return hasMoney(page.session) || isSought(page) ? contactLink(contactOf(page, t)) : null;
}

/** The checkout in which the customer went on. While their money is in this one, another that is unpaid is in their way. */
function retryOf({ session, links }: PageProps['page']): string | null | undefined {
  return hasMoney(session) && !links.isRetryPaid ? null : links.retry;
}

/** Whether the merchant or a provider has the customer's money without a sale for it. */
function hasMoney({ status, payment }: PublicSession): boolean {
  const isBeside = payment?.other_transfers.some(({ reason }) => reason !== 'too_small');
  return isHeld({ status, payment }) || (status === 'expired' && isBeside === true);
}

/** Whether they have it for this order. What lies beside it ends no payment link: only that opens another checkout. */
function isHeld({ status, payment }: Pick<PublicSession, 'status' | 'payment'>): boolean {
  const isStill = payment?.failure_reason !== 'route_refunded' && isPositive(payment?.amount_seen ?? '0');
  return status === 'refund_required' || (status === 'expired' && isStill);
}

/** Whether what the customer has named, or a wallet here may have sent, was not found: they must not pay again before. */
function isSought(page: PageProps['page']): boolean {
  const isTold = page.noticed || page.wallet?.step === 'sent' || isUnknown(page.wallet);
  return page.session.status === 'expired' && isTold && !hasMoney(page.session);
}

const FAILURES: Record<string, MessageKey<'asset' | 'merchant'>> = {
  transaction_reverted: 'failed_reverted',
  transfer_released: 'failed_released',
};

/** If the order was tried elsewhere too, before or after, the page must not say that nothing was paid. */
function sentencesOn(page: PageProps['page']): MessageKey<'asset' | 'merchant'>[] {
  const all = sentences(page.session);
  const isUnsaid = all.every((key) => key === 'expired_text');
  const sought = isUnsaid && isSought(page) ? ['expired_sought' as const] : all;
  const keys = isRefundedWhole(page) ? sought.filter((key) => key !== 'refund_required_at_merchant') : sought;
  const retry = retryOf(page);
  const said =
    retry || page.session.earlier ? keys.filter((key) => key !== 'expired_text' && key !== 'failed_text') : keys;
  return retry ? [...said, page.links.isRetryPaid ? 'retried_paid' : 'retried_text'] : said;
}

/** The cause, then where the money is. */
function sentences({ status, payment }: PublicSession): MessageKey<'asset' | 'merchant'>[] {
  const reason = payment?.failure_reason ?? null;
  switch (status) {
    case 'paid':
      return ['paid_text'];
    case 'refunded':
      return refundedSentences(payment);
    case 'expired':
      return expiredSentences(payment);
    case 'refund_required':
      // An amount that was too small to convert never left the provider.
      if (reason === 'underpaid' && payment && !isAtMerchant(payment))
        return ['refund_required_underpaid', 'refund_required_at_provider'];
      return CAUSES[reason ?? ''] ?? ['refund_required_at_merchant'];
    default:
      return [(payment && returnedSentence(payment, 'failed_returned')) ?? FAILURES[reason ?? ''] ?? 'failed_text'];
  }
}

/** The merchant can have sent back only what reached their wallet. */
function refundedSentences(payment: PublicPayment | null): MessageKey<'asset' | 'merchant'>[] {
  if (payment && isAtMerchant(payment)) return ['refunded_text'];
  return payment?.kind === 'routed' && isPositive(payment.amount_seen)
    ? ['refunded_recorded', 'refunded_at_provider']
    : ['refunded_recorded'];
}

/** Whether the customer's money reached the merchant's wallet: directly, or as the payout of a conversion. */
function isAtMerchant({ kind, amount_seen, tx_hashes }: PublicPayment): boolean {
  return kind === 'direct' ? isPositive(amount_seen) : tx_hashes.length > 0;
}

/** Money may have come that did not pay: less than was due, or another coin. */
function expiredSentences(payment: PublicPayment | null): MessageKey<'asset' | 'merchant'>[] {
  if (payment && isPositive(payment.amount_seen)) {
    const returned = returnedSentence(payment, 'expired_returned');
    if (returned) return [returned];
    const isShort = isPositive(payment.amount_due);
    const atProvider = isShort ? 'expired_returning' : 'refund_required_at_provider';
    const place = isAtMerchant(payment) ? 'refund_required_at_merchant' : atProvider;
    return isShort ? ['refund_required_underpaid', place] : [place];
  }
  // Those are shown with their own words.
  return payment && payment.other_transfers.length > 0 ? [] : ['expired_text'];
}

/** Why the provider returned a deposit: too little to convert, too late to convert, or the conversion failed. */
function returnedSentence(
  { failure_reason: reason, amount_seen: seen, amount_due: due }: PublicPayment,
  whole: 'failed_returned' | 'expired_returned',
) {
  if (reason !== 'route_refunded') return null;
  return isPositive(seen) && isPositive(due) ? 'failed_short' : whole;
}

const CAUSES: Record<string, MessageKey<'asset' | 'merchant'>[]> = {
  underpaid: ['refund_required_underpaid', 'refund_required_at_merchant'],
  paid_late: ['refund_required_paid_late', 'refund_required_at_merchant'],
  rate_unknown: ['refund_required_rate_unknown', 'refund_required_at_merchant'],
  untraced_transfer: ['refund_required_untraced_transfer', 'refund_required_at_merchant'],
  short_delivery: ['refund_required_short_delivery', 'refund_required_at_merchant'],
  route_failed: ['refund_required_route', 'refund_required_at_provider'],
  route_expired: ['refund_required_route', 'refund_required_at_provider'],
  transfer_released: ['failed_released'],
  compliance_hold: ['refund_required_compliance_hold', 'refund_required_at_provider'],
};
