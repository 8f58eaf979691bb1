import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { instant, money, networkName, plain, shorten } from '../lib/format.ts';
import { useSpeech } from '../lib/i18n.tsx';
import type { PaymentJson } from '../lib/types.ts';
import { Cell, Table } from './table.tsx';
import { StatusBadge } from './status.tsx';

/** Payments as rows; those that arrive while one looks are tinted for a moment. */
export function PaymentRows({ payments, label }: { payments: readonly PaymentJson[]; label: string }) {
  const { t, locale } = useSpeech();
  const navigate = useNavigate();
  const known = useRef<Set<string> | null>(null);
  const before = known.current;
  useEffect(() => { known.current = new Set(payments.map(({ id, status }) => id + status)); });
  return (
    <Table label={label} heads={[t('Amount'), t('Status'), t('Order'), t('Paid with'), t('Created')]}>
      {payments.map((payment) => (
        <tr
          key={payment.id} className={`cursor-pointer hover:bg-raised/60 ${before && !before.has(payment.id + payment.status) ? 'arrived' : ''}`}
          onClick={(event) => { if (!(event.target as Element).closest('a,button')) void navigate({ to: '/payments/$id', params: { id: payment.id } }); }}
        >
          <Cell className="whitespace-nowrap">
            <Link to="/payments/$id" params={{ id: payment.id }} className="font-semibold tabular-nums hover:underline">{money(locale, payment.amount, payment.currency)}</Link>
          </Cell>
          <Cell><StatusBadge status={payment.status} /></Cell>
          <Cell className="max-w-60 truncate">{payment.order_id ? <bdi>{plain(payment.order_id)}</bdi> : <span className="font-mono text-xs text-quiet">{shorten(payment.id)}</span>}</Cell>
          <Cell className="whitespace-nowrap">{payment.pay_asset} <span className="text-quiet">· {networkName(payment.pay_network)}{payment.route === 'routed' ? ` · ${t('routed')}` : ''}</span></Cell>
          <Cell className="text-quiet whitespace-nowrap"><time dateTime={payment.created_at}>{instant(locale, payment.created_at)}</time></Cell>
        </tr>
      ))}
    </Table>
  );
}
