import { settledFee, settledNet } from '@quittance/contract/settled-net';
import type { ReactNode } from 'react';
import { networkName } from '../../networks/networks.ts';
import { arrivalOf } from '../lib/arrival.ts';
import { assetAmount, instant, money, shorten } from '../lib/format.ts';
import { type Translate, useT } from '../lib/i18n.tsx';
import { itemOf, nameOf } from '../lib/sale.ts';
import { useAttention } from '../lib/state.tsx';
import type { PaymentJson } from '../lib/types.ts';
import { TickList } from './choices.tsx';
import { When } from './basic.tsx';
import { PaymentBadges } from './status.tsx';

export interface PaymentColumn {
  name: string;
  className: string;
  show: (payment: PaymentJson, speech: { t: Translate; locale: string }) => ReactNode;
}

/** Nothing has been paid with the chosen coin. */
export const UNPAID = new Set<string>(['created', 'pending', 'expired', 'failed']);

/** A share of the room that the other columns leave. */
const SHRINKS = 'sm:w-1/4 sm:min-w-28 sm:max-w-0 truncate';

/** Cut at its end, but on the side of the page, whatever its direction. */
function Cut({ children }: { children: string }) {
  return <bdi className="block truncate text-left rtl:text-right">{children}</bdi>;
}

/** The columns beside the amount, in this order. */
export const COLUMNS = {
  status: { name: 'Status', className: '', show: (payment) => <ListedBadges payment={payment} /> },
  order: {
    name: 'Order',
    className: SHRINKS,
    show: (payment) => {
      const item = itemOf(payment);
      if (item) return <Cut>{item}</Cut>;
      // The column of customers says who it is.
      return payment.customer ? null : (
        <span className="font-mono text-xs text-quiet">
          <bdi>{shorten(payment.id)}</bdi>
        </span>
      );
    },
  },
  customer: {
    name: 'Customer',
    className: SHRINKS,
    show: ({ customer }) => customer && <Cut>{nameOf(customer)}</Cut>,
  },
  paid_with: {
    name: 'Paid with',
    className: 'whitespace-nowrap',
    show: (payment, { t }) =>
      UNPAID.has(payment.status) ? (
        '–'
      ) : (
        <>
          {payment.pay_asset}{' '}
          <span className="text-quiet">
            · {networkName(payment.pay_network)}
            {payment.route === 'routed' ? ` · ${t('routed')}` : ''}
          </span>
        </>
      ),
  },
  arrived: {
    name: 'Received',
    className: 'whitespace-nowrap tabular-nums',
    show: (payment, { locale }) => assetAmount(locale, payment.actual_output, payment.receive_asset),
  },
  fee: {
    name: 'Service fee',
    className: 'whitespace-nowrap tabular-nums',
    show: (payment, { locale }) => {
      const fee = settledFee(payment);
      return fee === null ? '–' : money(locale, fee, payment.currency);
    },
  },
  net: {
    name: 'Net',
    className: 'whitespace-nowrap tabular-nums',
    show: (payment, { locale }) => {
      const net = settledNet(payment);
      return net === null ? '–' : money(locale, net, payment.currency);
    },
  },
  id: {
    name: 'Payment ID',
    className: 'font-mono text-xs whitespace-nowrap text-quiet',
    show: (payment) => <bdi>{payment.id}</bdi>,
  },
  created: {
    name: 'Created',
    className: 'whitespace-nowrap text-quiet',
    show: (payment, { locale }) => <When at={payment.created_at}>{instant(locale, payment.created_at)}</When>,
  },
} as const satisfies Record<string, PaymentColumn>;

function ListedBadges({ payment }: { payment: PaymentJson }) {
  const seen = useAttention().data?.arriving.find((one) => one.payment === payment.id);
  return <PaymentBadges payment={payment} arrival={arrivalOf(payment, seen)} />;
}

export type ColumnName = keyof typeof COLUMNS;

export const USUAL_COLUMNS: readonly ColumnName[] = ['status', 'order', 'customer', 'paid_with', 'created'];

export function isColumns(value: unknown): value is readonly ColumnName[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name in COLUMNS);
}

export function ColumnChooser({
  chosen,
  choose,
}: {
  chosen: readonly ColumnName[];
  choose: (columns: readonly ColumnName[]) => void;
}) {
  const t = useT();
  const names = Object.keys(COLUMNS) as ColumnName[];
  const chooseInOrder = (columns: readonly ColumnName[]) => choose(names.filter((name) => columns.includes(name)));
  return (
    <fieldset className="grid gap-1.5">
      <legend className="sr-only">{t('Columns')}</legend>
      <TickList values={names} chosen={chosen} onChange={chooseInOrder} show={(name) => t(COLUMNS[name].name)} />
    </fieldset>
  );
}
