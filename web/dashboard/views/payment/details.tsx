import { NOTE_KEY } from '@quittance/contract/customer-note';
import { Link } from '@tanstack/react-router';
import { networkName } from '../../../networks/networks.ts';
import { exactInstant, money, plain, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { PaymentJson } from '../../lib/types.ts';
import { Badge, Card, Copyable, Facts } from '../../ui/basic.tsx';
import { UNPAID } from '../../ui/payment-columns.tsx';
import { Hash } from './hash.tsx';

/** How a payment was made, and for what. */
export function Details({ payment }: { payment: PaymentJson }) {
  const { t, locale } = useLanguage();
  return (
    <Card title={t('Details')}>
      <Facts
        facts={[
          [
            t('Paid with'),
            UNPAID.has(payment.status) ? '–' : `${payment.pay_asset} · ${networkName(payment.pay_network)}`,
          ],
          [t('Route'), <RouteBadge key="route" route={payment.route} />],
          [
            t('Payout address'),
            <Copyable key="to" text={payment.receive_address} shown={shorten(payment.receive_address)} />,
          ],
          [t('Order'), payment.order_id === null ? '–' : <bdi key="order">{plain(payment.order_id)}</bdi>],
          [t('Session'), <SessionLink key="session" id={payment.session} />],
          ...(payment.payment_link_id
            ? [
                [
                  t('Payment link'),
                  <Link
                    key="link"
                    to="/links"
                    search={{ id: payment.payment_link_id }}
                    className="text-accent hover:underline"
                  >
                    <bdi>{shorten(payment.payment_link_id)}</bdi>
                  </Link>,
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
  );
}

function RouteBadge({ route }: { route: PaymentJson['route'] }) {
  const { t } = useLanguage();
  return <Badge tone={route === 'direct' ? 'good' : 'accent'}>{route === 'direct' ? t('Direct') : t('Routed')}</Badge>;
}

/** A session's place is its checkout page. */
function SessionLink({ id }: { id: string | null }) {
  if (id === null) return '–';
  return (
    <a href={`/checkout/${id}`} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      <bdi>{shorten(id)}</bdi>
    </a>
  );
}

/** The refund that the merchant recorded, if there is one. */
export function RecordedRefund({ payment }: { payment: PaymentJson }) {
  const { t, locale } = useLanguage();
  const { refund } = payment;
  if (!refund) return null;
  return (
    <Card title={t('Refund')}>
      <Facts
        facts={[
          [t('Amount'), money(locale, refund.amount, payment.currency)],
          [
            t('Sent to'),
            refund.address ? <Copyable key="to" text={refund.address} shown={shorten(refund.address)} /> : '–',
          ],
          [t('Reason'), refund.reason ? <bdi key="why">{plain(refund.reason)}</bdi> : '–'],
          [t('Recorded'), exactInstant(locale, refund.created_at)],
        ]}
      />
    </Card>
  );
}

/** What the merchant's own system attached to the session. */
export function Metadata({ payment: { metadata, payment_link_id: link } }: { payment: PaymentJson }) {
  const { t } = useLanguage();
  // Only the page of a link asks for a note.
  const entries = Object.entries(metadata).filter(([key]) => key !== NOTE_KEY || link === null);
  if (entries.length === 0) return null;
  return (
    <Card title={t('Metadata')}>
      <Facts
        facts={entries.map(
          ([key, value]) => [<bdi key={key}>{plain(key)}</bdi>, <bdi key="value">{plain(value)}</bdi>] as const,
        )}
      />
    </Card>
  );
}
