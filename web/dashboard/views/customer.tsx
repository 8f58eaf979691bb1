import { Link, useSearch } from '@tanstack/react-router';
import { ApiError } from '../lib/api.ts';
import { exactInstant } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useList, useMode, useRead } from '../lib/state.tsx';
import type { CustomerFiguresJson, PaymentJson } from '../lib/types.ts';
import { Button, Card, Copyable, Empty, Facts, Heading, Problem, Skeleton } from '../ui/basic.tsx';
import { PaymentRows } from '../ui/payment-rows.tsx';
import { More } from '../ui/table.tsx';
import { nameOf } from './customers/customer-link.tsx';
import { Totals } from './customers/totals.tsx';

/** One customer, with their payments. */
export function CustomerView() {
  const { t, locale } = useLanguage();
  const { mode, setMode } = useMode();
  const { reference, email } = useSearch({ from: '/shell/customers/one' });
  const read = useRead<CustomerFiguresJson>('customer', '/dashboard/api/customer', { reference, email });

  if (read.isPending)
    return (
      <Card>
        <Skeleton rows={8} />
      </Card>
    );
  if (read.error instanceof ApiError && read.error.status === 404) {
    const other = mode === 'test' ? 'live' : 'test';
    return (
      <Empty
        title={t('Customer not found in this mode')}
        action={
          <Button onClick={() => setMode(other)}>
            {other === 'live' ? t('Look in live mode') : t('Look in test mode')}
          </Button>
        }
      />
    );
  }
  if (read.error) return <Problem error={read.error} retry={() => void read.refetch()} />;

  const customer = read.data;
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/customers" search={{}} className="text-quiet hover:text-ink hover:underline">
          {t('Customers')}
        </Link>
      </p>
      <Heading
        title={<bdi>{nameOf(customer)}</bdi>}
        name={nameOf(customer)}
        below={t('{count} payments', { count: customer.payments })}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <Card title={t('Payments')} flush className="order-2 lg:order-none">
          <Payments reference={reference} email={email} />
        </Card>
        <Card title={t('Details')}>
          <Facts
            facts={[
              [t('Email'), customer.email === null ? '–' : <Copyable key="email" text={customer.email} />],
              [t('Reference'), customer.reference === null ? '–' : <Copyable key="own" text={customer.reference} />],
              [
                t('Total'),
                <span key="total" className="tabular-nums">
                  <Totals totals={customer.totals} />
                </span>,
              ],
              [t('Last payment'), customer.last_paid_at === null ? '–' : exactInstant(locale, customer.last_paid_at)],
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function Payments({ reference, email }: { reference: string | undefined; email: string | undefined }) {
  const { t } = useLanguage();
  const list = useList<PaymentJson>('payments', '/dashboard/api/customer/payments', { reference, email });
  if (list.isPending) return <Skeleton rows={4} />;
  if (list.error)
    return (
      <div className="p-5">
        <Problem error={list.error} retry={() => void list.refetch()} />
      </div>
    );
  if (list.items.length === 0)
    return <Empty title={t('No payments yet')}>{t('Payments appear here as soon as a customer starts paying.')}</Empty>;
  return (
    <>
      <PaymentRows payments={list.items} label={t('Payments')} />
      <More list={list} />
    </>
  );
}
