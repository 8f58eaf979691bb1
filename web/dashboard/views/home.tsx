import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { cents, fromCents, money } from '../lib/format.ts';
import { useSpeech } from '../lib/i18n.tsx';
import { useList, useMode, useRead } from '../lib/state.tsx';
import type { OverviewJson, PaymentJson } from '../lib/types.ts';
import { Card, Empty, Heading, Problem, Skeleton } from '../ui/basic.tsx';
import { PaymentRows } from '../ui/payment-rows.tsx';
import { VolumeChart } from '../ui/volume-chart.tsx';
import { Attention } from './home/attention.tsx';
import { Onboarding } from './home/onboarding.tsx';

const RANGES = [7, 30, 90] as const;

export function HomeView() {
  const { t } = useSpeech();
  const { mode } = useMode();
  const [range, setRange] = useState<number>(30);
  const latest = useList<PaymentJson>('payments', '/v1/payments', { limit: 6 });
  return (
    <>
      <Heading title={t('Home')}>
        <fieldset
          className="inline-flex rounded-lg border border-line bg-surface p-0.5 text-sm"
          aria-label={t('Period')}
        >
          {RANGES.map((days) => (
            <button
              key={days}
              type="button"
              aria-pressed={range === days}
              onClick={() => setRange(days)}
              className="rounded-md px-3 py-1 text-quiet aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink"
            >
              {t({ one: '{count} day', other: '{count} days' }, { count: days })}
            </button>
          ))}
        </fieldset>
      </Heading>
      <div className="grid gap-5">
        <Onboarding />
        <Attention />
        <Figures range={range} />
        <Card
          title={t('Latest payments')}
          action={
            <Link to="/payments" className="text-sm text-accent hover:underline">
              {t('All payments')}
            </Link>
          }
          flush
        >
          {latest.isPending ? (
            <Skeleton />
          ) : latest.error ? (
            <div className="p-5">
              <Problem error={latest.error} retry={() => void latest.refetch()} />
            </div>
          ) : latest.items.length === 0 ? (
            <Empty title={t('No payments yet')}>
              {mode === 'test'
                ? t('Open a payment link and simulate a payment. It takes ten seconds.')
                : t('Payments appear here as soon as a customer starts paying.')}
            </Empty>
          ) : (
            <PaymentRows payments={latest.items.slice(0, 6)} label={t('Latest payments')} />
          )}
        </Card>
      </div>
    </>
  );
}

function Figures({ range }: { range: number }) {
  const { t, locale } = useSpeech();
  const overview = useRead<OverviewJson>('overview', '/dashboard/api/overview', { days: range }, { keep: true });
  const [wanted, setWanted] = useState<string | null>(null);
  if (overview.error) return <Problem error={overview.error} retry={() => void overview.refetch()} />;
  if (!overview.data)
    return (
      <Card>
        <Skeleton rows={6} />
      </Card>
    );

  const { days } = overview.data;
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
  const fees = mine.reduce((total, one) => total + cents(one.fees), 0n);
  const percent = (part: number, whole: number) =>
    whole === 0 ? '–' : new Intl.NumberFormat(locale, { style: 'percent' }).format(Math.min(1, part / whole));
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-4">
        <div>
          <p className="text-sm text-quiet">{t('Volume')}</p>
          <p className="text-3xl font-semibold tracking-tight tabular-nums">
            {money(locale, fromCents(sum(all, currency)), currency)}
          </p>
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
        <Figure name={t('Conversion')} value={percent(paidAll, started)} hint={t('of started checkouts')} />
        <Figure name={t('Direct')} value={percent(direct, count)} hint={t('no fee')} />
        <Figure name={t('Fees')} value={money(locale, fromCents(fees), currency)} hint={t('1.5% of routed payments')} />
      </dl>
    </Card>
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
  return paid.filter((one) => one.currency === currency).reduce((total, one) => total + cents(one.volume), 0n);
}
