import { Link, useSearch } from '@tanstack/react-router';
import { exactInstant } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { nameOf } from '../lib/sale.ts';
import { useList, useRead } from '../lib/state.tsx';
import type { CustomerFiguresJson, PaymentJson } from '../lib/types.ts';
import { Card, Copyable, Empty, Facts, Heading } from '../ui/basic.tsx';
import { Listing } from '../ui/listing.tsx';
import { isNotFound } from '../lib/api.ts';
import { NotHere } from '../ui/not-here.tsx';
import { PaymentRows } from '../ui/payment-rows.tsx';
import { Totals } from './customers/totals.tsx';

/** One customer, with their payments. */
export function CustomerView() {
  const { t, locale } = useLanguage();
  const { reference, email } = useSearch({ from: '/shell/customers/one' });
  const read = useRead<CustomerFiguresJson>('customer', '/dashboard/api/customer', { reference, email });

  if (read.isPending || read.isLoadingError || isNotFound(read.error))
    return (
      <NotHere error={read.error} retry={() => void read.refetch()} missing={t('Customer not found in this mode')} />
    );

  const customer = read.data;
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/customers" search={{}} className="text-quiet hover:text-ink hover:underline">
          {t('Customers')}
        </Link>
      </p>
      <Heading title={<bdi>{nameOf(customer)}</bdi>} name={nameOf(customer)} />
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
                t('Received'),
                <span key="total" className="tabular-nums">
                  <Totals totals={customer.totals} />
                </span>,
              ],
              [t('Paid'), customer.payments],
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
  return (
    <Listing
      list={list}
      empty={
        <Empty title={t('No payments yet')}>{t('Payments appear here as soon as a customer starts paying.')}</Empty>
      }
    >
      <PaymentRows payments={list.items} label={t('Payments')} />
    </Listing>
  );
}
