import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { instant, plain } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useList } from '../lib/state.tsx';
import { useTypedSearch } from '../lib/typed-search.ts';
import type { CustomerFiguresJson } from '../lib/types.ts';
import { Button, Card, Empty, Heading, Problem, Skeleton, When } from '../ui/basic.tsx';
import { Icon } from '../ui/icon.tsx';
import { Cell, More, Table } from '../ui/table.tsx';
import { CustomerLink } from './customers/customer-link.tsx';
import { Totals } from './customers/totals.tsx';

export function CustomersView() {
  const { t } = useLanguage();
  const { q } = useSearch({ from: '/shell/customers' });
  const list = useList<CustomerFiguresJson>('customers', '/dashboard/api/customers', { q });
  return (
    <>
      <Heading
        title={t('Customers')}
        below={t('Customers who have paid, as your sessions and payment links name them.')}
      />
      <SearchField q={q} />
      <Card flush>
        {list.isPending ? (
          <Skeleton rows={6} />
        ) : list.error ? (
          <div className="p-5">
            <Problem error={list.error} retry={() => void list.refetch()} />
          </div>
        ) : list.items.length === 0 ? (
          <Nothing q={q} />
        ) : (
          <>
            <CustomerRows customers={list.items} />
            <More list={list} />
          </>
        )}
      </Card>
    </>
  );
}

function CustomerRows({ customers }: { customers: readonly CustomerFiguresJson[] }) {
  const { t, locale } = useLanguage();
  return (
    <Table
      label={t('Customers')}
      heads={[t('Customer'), t('Total'), t('Email'), t('Reference'), t('Payments'), t('Last payment')]}
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
          <Cell className="tabular-nums">{t('{count} payments', { count: customer.payments })}</Cell>
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
    <Empty
      title={t('No results for “{text}”', { text: plain(q) })}
      action={<Button onClick={() => void navigate({ to: '/customers', search: {} })}>{t('Clear search')}</Button>}
    >
      {t('Searches the start of a name, an email address or a reference, in this mode.')}
    </Empty>
  );
}

function SearchField({ q }: { q: string | undefined }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  const { typed, setTyped, start } = useTypedSearch(
    q,
    (wanted) => void navigate({ to: '/customers', search: { q: wanted }, replace: true }),
  );
  return (
    <search className="mb-4 block max-w-md">
      <form
        className="relative"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          start();
        }}
      >
        <span className="pointer-events-none absolute inset-y-0 start-3 grid place-items-center text-quiet">
          <Icon name="search" size={16} />
        </span>
        <input
          type="search"
          aria-label={t('Search customers')}
          placeholder={t('Search by name, email or reference')}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="min-h-9 w-full rounded-lg border border-line bg-surface px-2.5 py-1.5 ps-9 text-sm"
        />
      </form>
    </search>
  );
}
