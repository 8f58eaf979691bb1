import { useState } from 'react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { plain } from '../lib/format.ts';
import { useT } from '../lib/i18n.tsx';
import { useStored } from '../lib/stored.ts';
import { useList, useMode, useRead } from '../lib/state.tsx';
import type { PaymentJson, PaymentLinkJson, PaymentStatus, SearchJson } from '../lib/types.ts';
import { Button, buttonClass, Card, Empty, Heading, Problem, Skeleton, pressableClass } from '../ui/basic.tsx';
import { DateRangeField } from '../ui/date-range.tsx';
import { Icon } from '../ui/icon.tsx';
import { Listing } from '../ui/listing.tsx';
import { ColumnChooser, type ColumnName, isColumns, USUAL_COLUMNS } from '../ui/payment-columns.tsx';
import { PaymentRows } from '../ui/payment-rows.tsx';
import { STATUS_NAMES } from '../ui/status.tsx';
import { Popup } from '../ui/popup.tsx';
import { NoResults, SearchField } from '../ui/search-field.tsx';
import { Bookkeeping } from './payments/bookkeeping.tsx';
import { datesOf, dayAfter, PERIODS } from './payments/periods.ts';
import { SavedViews } from './payments/saved-views.tsx';
import type { PaymentsSearch } from './payments-search.ts';

const TABS = [
  { name: 'All', search: {} },
  { name: 'Needs a decision', search: { status: 'refund_required' } },
  { name: 'Paid', search: { status: 'paid' } },
  { name: 'Routed', search: { route: 'routed' } },
  { name: 'Refunded', search: { status: 'refunded' } },
  { name: 'Overpaid', search: { balance: 'overpaid' } },
  { name: 'Partly refunded', search: { balance: 'partly_refunded' } },
] as const satisfies readonly { name: string; search: PaymentsSearch }[];

export function PaymentsView() {
  const t = useT();
  const search = useSearch({ from: '/shell/payments' });
  const navigate = useNavigate({ from: '/payments' });
  const [columns, setColumns] = useStored<readonly ColumnName[]>('payment-columns', USUAL_COLUMNS, isColumns);
  const go: Go = (next, replace = false) => void navigate({ to: '/payments', search: next, replace });
  const query = {
    status: search.status,
    route: search.route,
    balance: search.balance,
    created_after: search.after,
    created_before: search.before && dayAfter(search.before),
    payment_link_id: search.link,
  };
  return (
    <>
      <Heading title={t('Payments')}>
        <Popup label={t('Columns')}>
          <ColumnChooser chosen={columns} choose={setColumns} />
        </Popup>
        <Export query={query} isSearch={search.q !== undefined} />
        <Bookkeeping />
      </Heading>
      <fieldset className="mb-4 flex flex-wrap gap-1" aria-label={t('Views')}>
        {TABS.map(({ name, search: wanted }) => (
          <button
            key={name}
            type="button"
            aria-pressed={
              search.status === ('status' in wanted ? wanted.status : undefined) &&
              search.route === ('route' in wanted ? wanted.route : undefined) &&
              search.balance === ('balance' in wanted ? wanted.balance : undefined)
            }
            onClick={() =>
              go({ ...wanted, after: search.after, before: search.before, link: search.link, q: search.q })
            }
            className={`${pressableClass} py-1.5 text-quiet`}
          >
            {t(name)}
          </button>
        ))}
        <SavedViews search={search} go={go} />
      </fieldset>
      <Filters search={search} go={go} />
      {search.link && <OfLink id={search.link} clear={() => go({ ...search, link: undefined })} />}
      <Card flush>
        {search.q === undefined ? (
          <Listed query={query} columns={columns} clear={() => go({})} />
        ) : (
          <Found query={{ ...query, q: search.q }} columns={columns} go={go} />
        )}
      </Card>
    </>
  );
}

/** A search finds by other rules than the export filters, so the file would contain other payments than are shown. */
function Export({ query, isSearch }: { query: Record<string, string | undefined>; isSearch: boolean }) {
  const t = useT();
  const { mode } = useMode();
  const download = new URLSearchParams({
    mode,
    // Otherwise Excel does not read names in other alphabets.
    bom: 'true',
    ...(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Record<string, string>),
  });
  const label = (
    <>
      <Icon name="download" size={16} />
      {t('Export CSV')}
    </>
  );
  if (isSearch)
    return (
      <span className="grid justify-items-end gap-1">
        <Button disabled aria-describedby="no-export">
          {label}
        </Button>
        <span id="no-export" className="text-xs text-quiet">
          {t('Clear the search to export.')}
        </span>
      </span>
    );
  return (
    <a href={`/dashboard/api/payments.csv?${download}`} download className={buttonClass()}>
      {label}
    </a>
  );
}

type Go = (next: PaymentsSearch | ((now: PaymentsSearch) => PaymentsSearch), replace?: boolean) => void;

/** On a phone, only the search is shown until the other filters are asked for. */
function Filters({ search, go }: { search: PaymentsSearch; go: Go }) {
  const t = useT();
  const [areShown, setShown] = useState(false);
  const chosen = [search.status, search.route, search.after ?? search.before].filter((value) => value !== undefined);
  const control = 'min-h-9 rounded-lg border border-line bg-surface px-2.5 py-1.5 text-sm';
  return (
    <div className="relative mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        q={search.q}
        label={t('Search payments')}
        placeholder={t('Search by name, order, amount, email, payment ID, transaction or address')}
        search={(q) => go((now) => ({ ...now, q }), true)}
        className="min-w-48 flex-1"
      />
      <Button className="sm:hidden" aria-expanded={areShown} onClick={() => setShown(!areShown)}>
        {chosen.length === 0 ? t('Filters') : t('Filters ({count})', { count: chosen.length })}
      </Button>
      <div className={`${areShown ? 'flex' : 'hidden'} w-full flex-wrap items-center gap-2 sm:contents`}>
        <select
          aria-label={t('Status')}
          className={control}
          value={search.status ?? ''}
          onChange={(event) =>
            go({ ...search, status: (event.target.value || undefined) as PaymentStatus | undefined })
          }
        >
          <option value="">{t('Any status')}</option>
          {Object.entries(STATUS_NAMES).map(([status, name]) => (
            <option key={status} value={status}>
              {t(name)}
            </option>
          ))}
        </select>
        <select
          aria-label={t('Route')}
          className={control}
          value={search.route ?? ''}
          onChange={(event) => go({ ...search, route: (event.target.value || undefined) as PaymentsSearch['route'] })}
        >
          <option value="">{t('Any route')}</option>
          <option value="direct">{t('Direct')}</option>
          <option value="routed">{t('Routed')}</option>
        </select>
        <DateRangeField
          label={t('Period')}
          range={search}
          presets={[{ name: 'Any time' }, ...PERIODS.map(({ key, name }) => ({ name, ...datesOf(key, new Date()) }))]}
          choose={({ after, before }) => go({ ...search, after, before })}
        />
      </div>
    </div>
  );
}

/** The filter by a payment link, which is chosen in the list of links. */
function OfLink({ id, clear }: { id: string; clear: () => void }) {
  const t = useT();
  const link = useRead<PaymentLinkJson>('link', `/v1/payment-links/${encodeURIComponent(id)}`).data;
  const name = plain(link?.description ?? id);
  return (
    <p className="mb-4 inline-flex max-w-full items-center gap-1 rounded-lg bg-tint ps-3 pe-1.5 text-sm text-accent">
      <bdi className="min-w-0 truncate py-1.5">{t('Link: {description}', { description: name })}</bdi>
      <button
        type="button"
        className="grid size-6 shrink-0 place-items-center rounded"
        aria-label={t('Clear filters')}
        onClick={clear}
      >
        <Icon name="close" size={14} />
      </button>
    </p>
  );
}

type Query = Record<string, string | undefined>;

function isFiltered(query: Query): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

function Listed({ query, columns, clear }: { columns: readonly ColumnName[]; query: Query; clear: () => void }) {
  const t = useT();
  const list = useList<PaymentJson>('payments', '/v1/payments', { ...query, limit: 25 });
  const empty = isFiltered(query) ? (
    <NoneFits clear={clear} />
  ) : (
    <Empty
      title={t('No payments yet')}
      docs="/docs/guides/selling-without-code"
      action={
        <Link to="/links" search={{ new: true }} className={buttonClass('primary')}>
          {t('Create a payment link')}
        </Link>
      }
    >
      {t('Payments appear here as soon as a customer starts paying.')}
    </Empty>
  );
  return (
    <Listing list={list} rows={8} empty={empty}>
      <PaymentRows payments={list.items} label={t('Payments')} columns={columns} />
    </Listing>
  );
}

function NoneFits({ clear, children }: { clear: () => void; children?: string }) {
  const t = useT();
  return (
    <Empty title={t('No payments match these filters')} action={<Button onClick={clear}>{t('Clear filters')}</Button>}>
      {children}
    </Empty>
  );
}

function Found({
  query: { q, ...filter },
  columns,
  go,
}: {
  query: Query & { q: string };
  columns: readonly ColumnName[];
  go: Go;
}) {
  const t = useT();
  const found = useRead<SearchJson>('search', '/dashboard/api/search', { ...filter, q }, { keep: true });
  if (found.isPending) return <Skeleton rows={4} />;
  if (found.isLoadingError)
    return (
      <div className="p-5">
        <Problem error={found.error} retry={() => void found.refetch()} />
      </div>
    );
  if (found.data.payments.length === 0 && found.data.others.some(({ kind }) => kind === 'transfer'))
    return (
      <Empty title={t('A transfer belongs to no payment')}>
        <Link to="/transfers" search={{}} className="text-accent underline">
          {t('Transfers')}
        </Link>
      </Empty>
    );
  const searched = t(
    'Searches names, emails, descriptions and notes of recent payments, the start or end of an order number, and exact IDs, amounts, hashes and addresses, in this mode.',
  );
  if (found.data.payments.length === 0 && isFiltered(filter))
    return <NoneFits clear={() => go({ q })}>{searched}</NoneFits>;
  if (found.data.payments.length === 0)
    return (
      <NoResults q={q} clear={() => go({})}>
        {searched}
      </NoResults>
    );
  return <PaymentRows payments={found.data.payments} label={t('Matching payments')} columns={columns} />;
}
