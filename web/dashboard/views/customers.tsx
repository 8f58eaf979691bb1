import { useNavigate, useSearch } from '@tanstack/react-router';
import { instant, plain } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useList } from '../lib/state.tsx';
import type { CustomerFiguresJson } from '../lib/types.ts';
import { Empty, Heading, When } from '../ui/basic.tsx';
import { ListCard } from '../ui/listing.tsx';
import { NoResults, SearchField } from '../ui/search-field.tsx';
import { Cell, Table } from '../ui/table.tsx';
import { CustomerLink } from './customers/customer-link.tsx';
import { Totals } from './customers/totals.tsx';

export function CustomersView() {
  const { t } = useLanguage();
  const { q } = useSearch({ from: '/shell/customers' });
  const navigate = useNavigate();
  const list = useList<CustomerFiguresJson>('customers', '/dashboard/api/customers', { q });
  return (
    <>
      <Heading
        title={t('Customers')}
        below={t('Customers who have paid, as your sessions and payment links name them.')}
      />
      <SearchField
        q={q}
        label={t('Search customers')}
        placeholder={t('Search by name, email or reference')}
        search={(wanted) => void navigate({ to: '/customers', search: { q: wanted }, replace: true })}
        className="mb-4 block max-w-md"
      />
      <ListCard list={list} rows={6} empty={<Nothing q={q} />}>
        <CustomerRows customers={list.items} />
      </ListCard>
    </>
  );
}

function CustomerRows({ customers }: { customers: readonly CustomerFiguresJson[] }) {
  const { t, locale } = useLanguage();
  return (
    <Table
      label={t('Customers')}
      heads={[t('Customer'), t('Received'), t('Email'), t('Reference'), t('Paid'), t('Last payment')]}
    >
      {customers.map((customer) => (
        <tr key={`${customer.reference} ${customer.email}`} className="hover:bg-raised/60">
          <Cell className="max-w-64">
            <CustomerLink customer={customer} className="font-semibold" />
          </Cell>
          <Cell className="tabular-nums max-sm:text-end">
            <Totals totals={customer.totals} />
          </Cell>
          <Cell className="max-w-60 truncate">{customer.email && <bdi>{plain(customer.email)}</bdi>}</Cell>
          <Cell className="max-w-48 truncate">{customer.reference && <bdi>{plain(customer.reference)}</bdi>}</Cell>
          <Cell className="tabular-nums" label={t('Paid')}>
            {customer.payments}
          </Cell>
          <Cell className="whitespace-nowrap text-quiet">
            {customer.last_paid_at && <When at={customer.last_paid_at}>{instant(locale, customer.last_paid_at)}</When>}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

function Nothing({ q }: { q: string | undefined }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  if (q === undefined)
    return (
      <Empty title={t('No customers yet')}>
        {t('Send customer with a checkout session. Customers appear here after their first payment.')}
      </Empty>
    );
  return (
    <NoResults q={q} clear={() => void navigate({ to: '/customers', search: {} })}>
      {t('Searches the start of a name, an email address or a reference, in this mode.')}
    </NoResults>
  );
}
