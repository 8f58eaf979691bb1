import { toCents } from '@quittance/contract/cents';
import { settledFee, settledNet } from '@quittance/contract/settled-net';
import type { ReactNode } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { arrivalOf } from '../../lib/arrival.ts';
import { assetAmount, money } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { MoneyJson, PaymentJson } from '../../lib/types.ts';
import { Card, Facts } from '../../ui/basic.tsx';

/** What was due, what arrived, and what remains of it. Nothing is called a fee or net before it was paid. */
export function Amounts({ payment, money: where }: { payment: PaymentJson; money: MoneyJson | undefined }) {
  const { t, locale } = useLanguage();
  const figure = (name: string, value: ReactNode) =>
    [
      name,
      <span key={name} className="tabular-nums">
        {value}
      </span>,
    ] as const;
  const asked = where?.asked;
  const isDirect = payment.route === 'direct';
  const fee = settledFee(payment);
  const net = settledNet(payment);
  const expected = assetAmount(locale, payment.expected_output, payment.receive_asset);
  const arrival = arrivalOf(payment, where);
  const got = assetAmount(locale, arrival ? (where?.detected ?? null) : payment.actual_output, payment.receive_asset);
  const received =
    arrival === 'part'
      ? t('{got} of {due}', { got, due: asked ? assetAmount(locale, asked.amount, asked.asset) : expected })
      : got;
  return (
    <Card title={t('Amounts')}>
      <Facts
        facts={[
          figure(t('Order amount'), money(locale, payment.amount, payment.currency)),
          ...(isDirect
            ? [figure(t('Expected'), asked ? <Exact asked={asked} order={expected} /> : expected)]
            : [
                ...(asked
                  ? [
                      figure(
                        t('Customer pays'),
                        `${assetAmount(locale, asked.amount, asked.asset)} · ${networkName(asked.network)}`,
                      ),
                    ]
                  : []),
                figure(t('Expected'), expected),
              ]),
          figure(t('Received'), received),
          ...(toCents(payment.refunded_amount) > BigInt(0)
            ? [figure(t('Refunded'), money(locale, payment.refunded_amount, payment.currency))]
            : []),
          figure(t('Service fee'), fee === null ? '–' : money(locale, fee, payment.currency)),
          figure(t('Net'), <strong>{net === null ? '–' : money(locale, net, payment.currency)}</strong>),
        ]}
      />
    </Card>
  );
}

/** The exact amount that the customer must send, and why it differs from the price. */
function Exact({ asked, order }: { asked: NonNullable<MoneyJson['asked']>; order: string }) {
  const { t, locale } = useLanguage();
  const exact = assetAmount(locale, asked.amount, asked.asset);
  if (exact === order) return exact;
  return (
    <>
      {exact}
      <details className="text-xs">
        <summary className="w-fit cursor-pointer text-accent">{t('Why this amount?')}</summary>
        <span className="mt-1 block max-w-64 text-quiet">
          {t('The last digits identify this payment. They aren’t a fee, and they arrive in your wallet.')}
        </span>
      </details>
    </>
  );
}
