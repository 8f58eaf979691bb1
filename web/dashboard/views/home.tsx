import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { toCents, fromCents } from '@quittance/contract/cents';
import { money } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useList, useMode, useRead } from '../lib/state.tsx';
import type { OverviewJson, PaymentJson } from '../lib/types.ts';
import { Badge, buttonClass, Card, Empty, Heading, Problem, Skeleton } from '../ui/basic.tsx';
import { Listing } from '../ui/listing.tsx';
import { PaymentRows } from '../ui/payment-rows.tsx';
import { VolumeChart } from '../ui/volume-chart.tsx';
import { useOnboarding, useWaiting } from './home/waiting.ts';

const loadAbove = () => import('./home/attention.tsx');
const Above = lazy(loadAbove);
const RANGES = [7, 30, 90] as const;

export function HomeView() {
  const { t } = useLanguage();
  // Starts now, beside the data, and not when the data is there.
  useState(() => void loadAbove());
  const [range, setRange] = useState<number>(30);
  const latest = useList<PaymentJson>('payments', '/v1/payments', { limit: 6 });
  const overview = useOverview(range);
  const onboarding = useOnboarding();
  const waiting = useWaiting();
  const isPending = [latest, overview, onboarding, ...Object.values(waiting)].some((query) => query.isPending);
  return (
    <>
      <Heading title={t('Home')}>
        <Period range={range} setRange={setRange} />
      </Heading>
      {isPending ? (
        <Placeholder />
      ) : (
        <Suspense fallback={<Placeholder />}>
          <div className="grid gap-5">
            <Above waiting={waiting} />
            <Figures range={range} />
            <LatestPayments list={latest} />
          </div>
        </Suspense>
      )}
    </>
  );
}

function Period({ range, setRange }: { range: number; setRange: (days: number) => void }) {
  const { t } = useLanguage();
  return (
    <fieldset className="inline-flex rounded-lg border border-line bg-surface p-0.5 text-sm" aria-label={t('Period')}>
      {RANGES.map((days) => (
        <button
          key={days}
          type="button"
          aria-pressed={range === days}
          onClick={() => setRange(days)}
          className="rounded-md px-3 py-1 text-quiet aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink"
        >
          {t('{count} days', { count: days })}
        </button>
      ))}
    </fieldset>
  );
}

function LatestPayments({ list }: { list: ReturnType<typeof useList<PaymentJson>> }) {
  const { t } = useLanguage();
  const { mode } = useMode();
  return (
    <Card
      title={t('Latest payments')}
      action={
        <Link to="/payments" className="text-sm text-accent hover:underline">
          {t('All payments')}
        </Link>
      }
      flush
    >
      <Listing
        list={{ ...list, hasNextPage: false }}
        empty={
          <Empty
            title={t('No payments yet')}
            docs="/docs/guides/selling-without-code"
            action={
              <Link to="/links" search={{ new: true }} className={buttonClass('primary')}>
                {t('Create a payment link')}
              </Link>
            }
          >
            {mode === 'test'
              ? t('Open a payment link and simulate a payment. It takes ten seconds.')
              : t('Payments appear here as soon as a customer starts paying.')}
          </Empty>
        }
      >
        <PaymentRows payments={list.items.slice(0, 6)} label={t('Latest payments')} />
      </Listing>
    </Card>
  );
}

/** Separate cards, because a card inserted above would push visible content down. */
function Placeholder() {
  return (
    <div className="grid gap-5">
      {[4, 8, 5].map((rows) => (
        <Card key={rows}>
          <Skeleton rows={rows} />
        </Card>
      ))}
    </div>
  );
}

function useOverview(range: number) {
  return useRead<OverviewJson>('overview', '/dashboard/api/overview', { days: 2 * range }, { keep: true });
}

function Figures({ range }: { range: number }) {
  const { t, locale } = useLanguage();
  const overview = useOverview(range);
  const [wanted, setWanted] = useState<string | null>(null);
  if (overview.isLoadingError) return <Problem error={overview.error} retry={() => void overview.refetch()} />;
  if (!overview.data) return null;

  // Twice as many days as shown: the first half is the comparison for the second.
  const half = overview.data.days.length / 2;
  const days = overview.data.days.slice(half);
  const before = overview.data.days.slice(0, half).flatMap(({ paid }) => paid);
  const all = days.flatMap(({ paid }) => paid);
  const currencies = [...new Set(all.map(({ currency }) => currency))].sort(
    (a, b) => Number(sum(all, b) - sum(all, a) > 0n) * 2 - 1,
  );
  const currency = wanted && currencies.includes(wanted as never) ? wanted : (currencies[0] ?? 'USD');
  const mine = all.filter((one) => one.currency === currency);
  const count = mine.reduce((total, one) => total + one.count, 0);
  const started = days.reduce((total, one) => total + one.started, 0);
  const paidAll = all.reduce((total, one) => total + one.count, 0);
  const direct = mine.filter(({ route }) => route === 'direct').reduce((total, one) => total + one.count, 0);
  const fees = mine.reduce((total, one) => total + toCents(one.fees), 0n);
  const percent = (part: number, whole: number) =>
    whole === 0 ? '–' : new Intl.NumberFormat(locale, { style: 'percent' }).format(Math.min(1, part / whole));
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-4">
        <div>
          <p className="text-sm text-quiet">
            <span>{t('Volume')}</span> · {t('{count} days', { count: half })} · UTC · {t('before refunds')}
          </p>
          <p className="text-3xl font-semibold tracking-tight tabular-nums">
            {money(locale, fromCents(sum(all, currency)), currency)}
          </p>
          <Change now={sum(all, currency)} before={sum(before, currency)} days={half} />
        </div>
        {currencies.length > 1 && (
          <select
            aria-label={t('Currency')}
            value={currency}
            onChange={(event) => setWanted(event.target.value)}
            className="rounded-lg border border-line bg-surface px-2 py-1 text-sm"
          >
            {currencies.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </div>
      <VolumeChart days={days} currency={currency} />
      <dl className="mt-5 grid grid-cols-2 gap-4 border-t border-line pt-4 sm:grid-cols-4">
        <Figure name={t('Paid')} value={new Intl.NumberFormat(locale).format(count)} />
        <Figure name={t('Completed')} value={percent(paidAll, started)} hint={t('of started checkouts')} />
        <Figure name={t('Direct')} value={percent(direct, count)} hint={t('no fee')} />
        <Figure name={t('Fees')} value={money(locale, fromCents(fees), currency)} hint={t('1.5% of routed payments')} />
      </dl>
    </Card>
  );
}

/** Compares the volume with the same number of days before. Empty if there was none. */
function Change({ now, before, days }: { now: bigint; before: bigint; days: number }) {
  const { t, locale } = useLanguage();
  if (before === 0n) return null;
  const share = Number(((now - before) * 1_000n) / before) / 1_000;
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: Math.abs(share) < 0.1 ? 1 : 0,
    signDisplay: 'exceptZero',
  }).format(share);
  return (
    <p className="mt-1 flex items-center gap-2 text-sm text-quiet">
      <Badge tone={share > 0 ? 'good' : share < 0 ? 'bad' : 'neutral'}>
        <bdi>{percent}</bdi>
      </Badge>
      {t('compared with the {count} days before', { count: days })}
    </p>
  );
}

function Figure({ name, value, hint }: { name: string; value: string; hint?: string }) {
  return (
    <div>
      <dt className="text-sm text-quiet">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">
        {value}
        {hint && <span className="ms-1.5 text-xs font-normal text-quiet">{hint}</span>}
      </dd>
    </div>
  );
}

function sum(paid: OverviewJson['days'][number]['paid'], currency: string): bigint {
  return paid.filter((one) => one.currency === currency).reduce((total, one) => total + toCents(one.volume), 0n);
}
