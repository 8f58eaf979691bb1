import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { money } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import type { PaymentJson } from '../lib/types.ts';
import { COLUMNS, type ColumnName, USUAL_COLUMNS } from './payment-columns.tsx';
import { Cell, Table } from './table.tsx';

/** Payments as rows. New ones are tinted for a moment. */
export function PaymentRows({
  payments,
  label,
  columns = USUAL_COLUMNS,
}: {
  payments: readonly PaymentJson[];
  label: string;
  columns?: readonly ColumnName[];
}) {
  const { t, locale } = useLanguage();
  const navigate = useNavigate();
  const known = useRef<Set<string> | null>(null);
  const before = known.current;
  useEffect(() => {
    known.current = new Set(payments.map(({ id, status }) => id + status));
  });
  return (
    <Table label={label} heads={[t('Amount'), ...columns.map((name) => t(COLUMNS[name].name))]}>
      {payments.map((payment) => (
        <tr
          key={payment.id}
          className={`cursor-pointer hover:bg-raised/60 ${before && !before.has(payment.id + payment.status) ? 'arrived' : ''}`}
          onClick={(event) => {
            if (!(event.target as Element).closest('a,button'))
              void navigate({ to: '/payments/$id', params: { id: payment.id } });
          }}
        >
          <Cell className="whitespace-nowrap">
            <Link to="/payments/$id" params={{ id: payment.id }} className="font-semibold tabular-nums hover:underline">
              {money(locale, payment.amount, payment.currency)}
            </Link>
          </Cell>
          {columns.map((name) => (
            <Cell key={name} className={COLUMNS[name].className}>
              {COLUMNS[name].show(payment, { t, locale })}
            </Cell>
          ))}
        </tr>
      ))}
    </Table>
  );
}
