import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../lib/api.ts';
import { assetAmount, exactInstant, money, networkName, plain, shorten } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useAct, useRead } from '../lib/state.tsx';
import type { MoneyJson, PaymentJson, PaymentTimelineJson } from '../lib/types.ts';
import { Badge, Button, buttonClass, Card, Copyable, Facts, Heading, Notice, Problem, Skeleton } from '../ui/basic.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { NotHere } from '../ui/not-here.tsx';
import { StatusBadge } from '../ui/status.tsx';
import { CustomerLink } from './customers/customer-link.tsx';
import { Amounts } from './payment/amounts.tsx';
import { Hash } from './payment/hash.tsx';
import { Trouble } from './payment/trouble.tsx';
import { RefundDialog, ResolveDialog } from './payment/refund.tsx';
import { Timeline } from './payment/timeline.tsx';

const CHANGED = ['payments', 'attention', 'payment', 'money', 'timeline', 'overview', 'transfers'];

export function PaymentView() {
  const { t, locale } = useLanguage();
  const { id } = useParams({ from: '/shell/payments/$id' });
  const read = useRead<PaymentJson>('payment', `/v1/payments/${encodeURIComponent(id)}`);
  const timeline = useRead<PaymentTimelineJson>(
    'timeline',
    `/v1/payments/${encodeURIComponent(id)}/timeline`,
    {},
    { enabled: read.data !== undefined },
  );
  const where = useRead<MoneyJson>(
    'money',
    `/dashboard/api/payments/${encodeURIComponent(id)}/money`,
    {},
    { enabled: read.data !== undefined },
  );
  const [open, setOpen] = useState<'refund' | 'accept' | null>(null);
  const accept = useAct(() => post<PaymentJson>(`/v1/payments/${id}/accept`), CHANGED);

  if (read.isPending || read.error)
    return (
      <NotHere error={read.error} retry={() => void read.refetch()} missing={t('Payment not found in this mode')} />
    );

  const payment = read.data;
  const canAccept = payment.status === 'refund_required' && payment.actual_output !== null;
  const canRefund = ['paid', 'refund_required', 'failed', 'expired'].includes(payment.status);
  // The merchant can return only what is in their wallet.
  const hasArrived = payment.actual_output !== null && /[1-9]/.test(payment.actual_output);
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/payments" className="text-quiet hover:text-ink hover:underline">
          {t('Payments')}
        </Link>
      </p>
      <Heading
        title={
          <span className="inline-flex flex-wrap items-center gap-3">
            <span className="tabular-nums">{money(locale, payment.amount, payment.currency)}</span>
            <StatusBadge status={payment.status} />
          </span>
        }
        name={`${t('Payment')} ${money(locale, payment.amount, payment.currency)}`}
        below={<Copyable text={payment.id} />}
      >
        {payment.session && (
          <a href={`/checkout/${payment.session}`} target="_blank" rel="noreferrer" className={buttonClass('quiet')}>
            {t('View as customer')}
          </a>
        )}
        {canAccept && <Button onClick={() => setOpen('accept')}>{t('Accept payment')}</Button>}
        {canRefund && (
          <Button
            kind={payment.status === 'refund_required' && hasArrived ? 'primary' : 'plain'}
            onClick={() => setOpen('refund')}
          >
            {hasArrived ? t('Refund') : t('Record as resolved')}
          </Button>
        )}
      </Heading>
      <div className="grid gap-5">
        {payment.settlement_alert && (
          <Notice tone="warn">
            <p>
              {t(
                'A final transfer of this payment disappeared from the blockchain. It may be mined again within minutes. Wait before you ship. The status does not change.',
              )}
            </p>
            <p className="mt-1 flex flex-wrap items-center gap-x-4">
              <Hash
                hash={payment.settlement_alert.tx_hash}
                network={payment.receive_network}
                livemode={payment.livemode}
              />
              <span>{exactInstant(locale, payment.settlement_alert.detected_at)}</span>
            </p>
          </Notice>
        )}
        <Trouble reason={payment.failure_reason} money={where.data} />
        <Problem error={accept.error} />
        <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
          <Card title={t('Timeline')} className="order-2 lg:order-none">
            {timeline.isPending ? (
              <Skeleton />
            ) : timeline.error ? (
              <Problem error={timeline.error} retry={() => void timeline.refetch()} />
            ) : (
              <Timeline entries={timeline.data.entries} payment={payment} />
            )}
          </Card>
          <div className="grid gap-5">
            <Amounts payment={payment} money={where.data} />
            <Card title={t('Details')}>
              <Facts
                facts={[
                  [t('Paid with'), `${payment.pay_asset} · ${networkName(payment.pay_network)}`],
                  [
                    t('Route'),
                    <Badge key="route" tone={payment.route === 'direct' ? 'good' : 'accent'}>
                      {payment.route === 'direct' ? t('Direct') : t('Routed')}
                    </Badge>,
                  ],
                  [
                    t('Payout address'),
                    <Copyable key="to" text={payment.receive_address} shown={shorten(payment.receive_address)} />,
                  ],
                  [t('Order'), payment.order_id === null ? '–' : <bdi key="order">{plain(payment.order_id)}</bdi>],
                  ...(payment.customer
                    ? [[t('Customer'), <CustomerLink key="customer" customer={payment.customer} />] as const]
                    : []),
                  [
                    t('Session'),
                    payment.session === null ? (
                      '–'
                    ) : (
                      <Copyable key="session" text={payment.session} shown={shorten(payment.session)} />
                    ),
                  ],
                  ...(payment.payment_link_id
                    ? [
                        [
                          t('Payment link'),
                          <Copyable
                            key="link"
                            text={payment.payment_link_id}
                            shown={shorten(payment.payment_link_id)}
                          />,
                        ] as const,
                      ]
                    : []),
                  ...payment.tx_hashes.map(
                    (hash) =>
                      [
                        t('Transaction'),
                        <Hash key={hash} hash={hash} network={payment.receive_network} livemode={payment.livemode} />,
                      ] as const,
                  ),
                  [t('Created'), exactInstant(locale, payment.created_at)],
                ]}
              />
            </Card>
            {payment.refund && (
              <Card title={t('Refund')}>
                <Facts
                  facts={[
                    [t('Amount'), money(locale, payment.refund.amount, payment.currency)],
                    [
                      t('Sent to'),
                      payment.refund.address ? (
                        <Copyable key="to" text={payment.refund.address} shown={shorten(payment.refund.address)} />
                      ) : (
                        '–'
                      ),
                    ],
                    [t('Reason'), payment.refund.reason ? <bdi key="why">{plain(payment.refund.reason)}</bdi> : '–'],
                    [t('Recorded'), exactInstant(locale, payment.refund.created_at)],
                  ]}
                />
              </Card>
            )}
            {Object.keys(payment.metadata).length > 0 && (
              <Card title={t('Metadata')}>
                <Facts
                  facts={Object.entries(payment.metadata).map(
                    ([key, value]) =>
                      [<bdi key={key}>{plain(key)}</bdi>, <bdi key="value">{plain(value)}</bdi>] as const,
                  )}
                />
              </Card>
            )}
          </div>
        </div>
      </div>
      {open === 'refund' && hasArrived && <RefundDialog payment={payment} onClose={() => setOpen(null)} />}
      {open === 'refund' && !hasArrived && <ResolveDialog payment={payment} onClose={() => setOpen(null)} />}
      {open === 'accept' && (
        <Confirm
          title={t('Accept this payment?')}
          action={t('Accept')}
          busy={accept.isPending}
          onClose={() => setOpen(null)}
          onConfirm={() => accept.mutate(undefined, { onSettled: () => setOpen(null) })}
        >
          {t('You received {got} of {due}. Accepting marks the payment as paid and sends payment.paid.', {
            got: assetAmount(payment.actual_output, payment.receive_asset),
            due: assetAmount(payment.expected_output, payment.receive_asset),
          })}
        </Confirm>
      )}
    </>
  );
}
