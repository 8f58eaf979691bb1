import { toCents } from '@quittance/contract/cents';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound, post } from '../lib/api.ts';
import { type Arrival, arrivalOf } from '../lib/arrival.ts';
import { assetAmount, duration, exactInstant, money, plain } from '../lib/format.ts';
import { useLanguage, useT } from '../lib/i18n.tsx';
import { useOpenOnLoad } from '../lib/open-on-load.ts';
import { useAct, useRead } from '../lib/state.tsx';
import type { MoneyJson, PaymentJson, PaymentTimelineJson, RefundJson, TimelineEntryJson } from '../lib/types.ts';
import { Button, buttonClass, Card, Copyable, Heading, Notice, Problem, Skeleton } from '../ui/basic.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { NotHere } from '../ui/not-here.tsx';
import { PaymentBadges } from '../ui/status.tsx';
import { Amounts } from './payment/amounts.tsx';
import { CustomerCard } from './payment/customer-card.tsx';
import { Details, Metadata, RecordedRefund } from './payment/details.tsx';
import { Hash } from './payment/hash.tsx';
import { Claimed, Trouble } from './payment/trouble.tsx';
import { begunOf, isAllClaimed, refundShare } from './payment/refund-share.ts';
import { RefundDialog, ResolveDialog } from './payment/refund.tsx';
import { isAnswered } from './payment/refund-badge.tsx';
import { Refunds, useRefunds } from './payment/refunds.tsx';
import { Timeline } from './payment/timeline.tsx';

const CHANGED = ['payments', 'refunds', 'attention', 'payment', 'money', 'timeline', 'overview', 'transfers'];

/** The dialog that is open; also that of a refund below, by its id. */
type Decision = 'refund' | 'surplus' | 'accept' | RefundJson['id'];

export function PaymentView() {
  const { t } = useLanguage();
  const { id } = useParams({ from: '/shell/payments/$id' });
  const { read, timeline, where } = usePayment(id);
  const [open, setOpen] = useDecision();
  const returned = useRefunds(id);
  const refunds = returned.data ?? [];
  const accept = useAct(() => post<PaymentJson>(`/v1/payments/${id}/accept`), CHANGED);

  // The holder of the money and the refunds decide what stands above the timeline, so the page waits instead of moving.
  if (read.isPending || read.isLoadingError || isNotFound(read.error) || where.isPending || returned.isPending)
    return (
      <NotHere error={read.error} retry={() => void read.refetch()} missing={t('Payment not found in this mode')} />
    );

  const payment = read.data;
  const hasArrived = hasReachedWallet(payment);
  const isRefunding = open === 'refund' || (open === 'surplus' && payment.status === 'paid');
  const isClaimed = isAllClaimed(payment, refunds);
  const close = () => setOpen(null);
  const refresh = () => void Promise.all([read.refetch(), timeline.refetch()]);
  return (
    <>
      <ToPayments />
      <PaymentHeading
        payment={payment}
        arrival={arrivalOf(payment, where.data)}
        isDecided={isClaimed || refunds.some(isAnswered)}
        isClaimed={isClaimed}
        decide={setOpen}
      />
      <div className="grid gap-5">
        <SettlementAlert payment={payment} />
        <Trouble payment={payment} money={where.data} refunds={refunds} open={setOpen} />
        {isClaimed && <Claimed payment={payment} />}
        <Problem error={where.isLoadingError && where.error} retry={() => void where.refetch()} />
        <Problem error={accept.error} />
        <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
          <TimelineCard read={timeline} payment={payment} />
          <div className="grid gap-5">
            <Amounts payment={payment} money={where.data} />
            <CustomerCard payment={payment} />
            <Details payment={payment} />
            {payment.refunds.length > 0 ? (
              <Refunds payment={payment} onDecided={refresh} opened={open} open={setOpen} />
            ) : (
              <RecordedRefund payment={payment} />
            )}
            <Metadata payment={payment} />
          </div>
        </div>
      </div>
      {isRefunding && hasArrived && <RefundDialog payment={payment} money={where.data} onClose={close} />}
      {isRefunding && !hasArrived && <ResolveDialog payment={payment} onClose={close} />}
      {open === 'accept' && (
        <AcceptDialog
          payment={payment}
          late={isWhollyLate(payment) ? latenessOf(timeline.data?.entries ?? []) : null}
          begun={begunOf(refunds)}
          busy={accept.isPending}
          onClose={close}
          onConfirm={() => accept.mutate(undefined, { onSettled: close })}
        />
      )}
    </>
  );
}

/** Home links here with `?surplus=true` to open the refund of a surplus. */
function useDecision() {
  const { surplus } = useSearch({ from: '/shell/payments/$id' });
  const decision = useState<Decision | null>(null);
  const [, open] = decision;
  useOpenOnLoad(surplus, () => open('surplus'));
  return decision;
}

function ToPayments() {
  const t = useT();
  return (
    <p className="mb-3 text-sm">
      <Link to="/payments" className="text-quiet hover:text-ink hover:underline">
        {t('Payments')}
      </Link>
    </p>
  );
}

/** The payment and where its money is, and then the timeline, which does not exist without it. */
function usePayment(id: string) {
  const read = useRead<PaymentJson>('payment', `/v1/payments/${encodeURIComponent(id)}`);
  const timeline = useRead<PaymentTimelineJson>(
    'timeline',
    `/v1/payments/${encodeURIComponent(id)}/timeline`,
    {},
    { enabled: read.data !== undefined },
  );
  const where = useRead<MoneyJson>('money', `/dashboard/api/payments/${encodeURIComponent(id)}/money`);
  return { read, timeline, where };
}

/** The merchant can return only what is in their wallet. */
function hasReachedWallet({ actual_output }: PaymentJson): boolean {
  return actual_output !== null && /[1-9]/.test(actual_output);
}

/** Late, but all of it: most shops still have what was ordered. */
function isWhollyLate(payment: PaymentJson): boolean {
  return payment.failure_reason === 'paid_late' && refundShare(payment, null) === payment.amount;
}

/** How many seconds after the end of the checkout the money came; null if that is not known. */
function latenessOf(entries: readonly TimelineEntryJson[]): number | null {
  const expired = entries.find(({ type, data }) => type === 'status' && data.status === 'expired');
  const arrived = entries.findLast(({ type }) => type === 'transfer');
  const seconds = expired && arrived ? (Date.parse(arrived.at) - Date.parse(expired.at)) / 1000 : 0;
  return seconds > 0 ? seconds : null;
}

/** The amount, the status, and what the merchant can decide. */
function PaymentHeading({
  payment,
  arrival,
  isDecided,
  isClaimed,
  decide,
}: {
  payment: PaymentJson;
  arrival: Arrival | undefined;
  /** A refund below comes first: it takes all of the money, or its customer has named an address. */
  isDecided: boolean;
  isClaimed: boolean;
  decide: (decision: Decision) => void;
}) {
  const { t, locale } = useLanguage();
  const amount = money(locale, payment.amount, payment.currency);
  const canAccept = payment.status === 'refund_required' && payment.actual_output !== null && !isClaimed;
  const hasArrived = hasReachedWallet(payment);
  const isWhole = isWhollyLate(payment);
  // The money of a conversion may be at its provider.
  const hasMoney = hasArrived || payment.route === 'routed' || payment.status === 'refund_required';
  const canRefund = hasMoney && ['paid', 'refund_required', 'failed', 'expired'].includes(payment.status);
  return (
    <Heading
      title={
        <span className="inline-flex flex-wrap items-center gap-3">
          <span className="tabular-nums">{amount}</span>
          <PaymentBadges payment={payment} arrival={arrival} />
        </span>
      }
      name={`${t('Payment')} ${amount}`}
      below={
        <>
          {payment.description && (
            <p className="text-base text-ink [overflow-wrap:anywhere]">
              <bdi>{plain(payment.description)}</bdi>
            </p>
          )}
          <Copyable text={payment.id} />
        </>
      }
    >
      {payment.session && (
        <a href={`/checkout/${payment.session}`} target="_blank" rel="noreferrer" className={buttonClass('quiet')}>
          {t('View as customer')}
        </a>
      )}
      {canAccept && (
        <Button kind={isWhole && !isDecided ? 'primary' : 'plain'} onClick={() => decide('accept')}>
          {t('Accept payment')}
        </Button>
      )}
      {canRefund && (
        <Button
          kind={payment.status === 'refund_required' && hasArrived && !isWhole && !isDecided ? 'primary' : 'plain'}
          onClick={() => decide('refund')}
        >
          {hasArrived ? t('Refund') : t('Record as resolved')}
        </Button>
      )}
    </Heading>
  );
}

/** Shown if a final transfer of the payment is no longer on its network. */
function SettlementAlert({ payment }: { payment: PaymentJson }) {
  const { t, locale } = useLanguage();
  const alert = payment.settlement_alert;
  if (!alert) return null;
  return (
    <Notice tone="warn">
      <p>
        {t(
          'A final transfer of this payment disappeared from the blockchain. It may be mined again within minutes. Wait before you ship. The status does not change.',
        )}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-4">
        <Hash hash={alert.tx_hash} network={payment.receive_network} livemode={payment.livemode} />
        <span>{exactInstant(locale, alert.detected_at)}</span>
      </p>
    </Notice>
  );
}

function TimelineCard({ read, payment }: { read: ReturnType<typeof usePayment>['timeline']; payment: PaymentJson }) {
  const { t } = useLanguage();
  return (
    <Card title={t('Timeline')} className="order-2 lg:order-none">
      {read.isPending ? (
        <Skeleton />
      ) : read.isLoadingError ? (
        <Problem error={read.error} retry={() => void read.refetch()} />
      ) : (
        <Timeline entries={read.data.entries} payment={payment} />
      )}
    </Card>
  );
}

function AcceptDialog({
  payment,
  late,
  begun,
  busy,
  onClose,
  onConfirm,
}: {
  payment: PaymentJson;
  /** In seconds, of money that only came too late. */
  late: number | null;
  /** What refunds are to return of it, in the display currency. */
  begun: string | null;
  busy: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { t, locale } = useLanguage();
  const got = assetAmount(locale, payment.actual_output, payment.receive_asset);
  const value = payment.received_amount && money(locale, payment.received_amount, payment.currency);
  const due = assetAmount(locale, payment.expected_output, payment.receive_asset);
  const { refunded_amount: refunded, currency } = payment;
  return (
    <Confirm title={t('Accept this payment?')} action={t('Accept')} busy={busy} onClose={onClose} onConfirm={onConfirm}>
      {late !== null && value
        ? t('All of it arrived, {time} late: {got}, worth {value}.', { time: duration(locale, late), got, value })
        : t('You received {got} of {due}.', { got, due })}{' '}
      {toCents(refunded) > 0n && `${t('{amount} of it was refunded.', { amount: money(locale, refunded, currency) })} `}
      {begun !== null &&
        `${t('{amount} is already planned to be refunded, or on its way.', { amount: money(locale, begun, currency) })} `}
      {t('Once accepted, it counts as paid: your shop is notified, and the checkout page offers a receipt.')}
    </Confirm>
  );
}
