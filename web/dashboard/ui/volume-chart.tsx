import { useState } from 'react';
import { toCents, fromCents } from '@quittance/contract/cents';
import { day, money, roundMoney } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import type { OverviewJson } from '../lib/types.ts';

const WIDTH = 1000;
const HEIGHT = 150;
const GAP = 0.28;

type Day = OverviewJson['days'][number];

interface Bar {
  day: string;
  direct: bigint;
  routed: bigint;
  count: number;
}

/** Volume by day, direct and routed stacked. A table has the same figures for screen readers. */
export function VolumeChart({ days, currency }: { days: Day[]; currency: string }) {
  const { locale } = useLanguage();
  const [hovered, setHovered] = useState<number | null>(null);
  const bars = days.map((one) => barOf(one, currency));
  const most = bars.reduce((top, bar) => (bar.direct + bar.routed > top ? bar.direct + bar.routed : top), 1n);
  const shown = hovered === null ? undefined : bars[hovered];
  return (
    <figure className="grid gap-2">
      <Legend />
      <div className="relative">
        {shown && <Tip bar={shown} currency={currency} at={hovered ?? 0} of={bars.length} />}
        <Axis most={most} currency={currency} />
        <Picture bars={bars} most={most} hovered={hovered} hover={setHovered} />
      </div>
      <div className="flex justify-between text-xs text-quiet" aria-hidden="true">
        {[0, Math.floor((bars.length - 1) / 2), bars.length - 1].map((at) => (
          <span key={at}>{bars[at] && day(locale, bars[at].day)}</span>
        ))}
      </div>
      <FigureTable bars={bars} />
    </figure>
  );
}

function barOf({ day, paid }: Day, currency: string): Bar {
  const inCurrency = paid.filter((one) => one.currency === currency);
  const volumeOf = (route: string) =>
    inCurrency.filter((one) => one.route === route).reduce((sum, { volume }) => sum + toCents(volume), 0n);
  return {
    day,
    direct: volumeOf('direct'),
    routed: volumeOf('routed'),
    count: inCurrency.reduce((sum, one) => sum + one.count, 0),
  };
}

function Legend() {
  const { t } = useLanguage();
  return (
    <figcaption className="flex min-h-5 flex-wrap items-center gap-4 text-xs text-quiet">
      <span className="inline-flex items-center gap-1.5">
        <span className="size-2.5 rounded-sm bg-accent" />
        {t('Direct')}
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span className="size-2.5 rounded-sm bg-routed" />
        {t('Routed')}
      </span>
    </figcaption>
  );
}

const TIP =
  'pointer-events-none absolute whitespace-nowrap -top-1 z-10 rounded-lg border border-line bg-surface px-2.5 py-1.5 text-xs shadow-lg';

/** The figures of the hovered day, number `at` of `of`. In the second half of the chart it opens to the other side. */
function Tip({ bar, currency, at, of }: { bar: Bar; currency: string; at: number; of: number }) {
  const { t, locale } = useLanguage();
  const side = at * 2 < of ? '' : 'rtl:translate-x-full ltr:-translate-x-full';
  return (
    <div
      className={`${TIP} ${side}`}
      ref={(tip) => {
        if (tip) tip.style.insetInlineStart = `${((at + 0.5) / of) * 100}%`;
      }}
    >
      <span className="block text-quiet">{day(locale, bar.day)}</span>
      <span className="block font-medium tabular-nums">
        {money(locale, fromCents(bar.direct + bar.routed), currency)}
      </span>
      {t('{count} payments', { count: bar.count })}
    </div>
  );
}

/** The largest volume of a day, its half, and the ground. */
function Axis({ most, currency }: { most: bigint; currency: string }) {
  const { locale } = useLanguage();
  const label = (minor: bigint) => (most > 1n ? roundMoney(locale, fromCents(minor), currency) : '');
  return (
    <div
      className="pointer-events-none absolute inset-y-0 start-0 flex flex-col justify-between text-[0.65rem] text-quiet"
      aria-hidden="true"
    >
      <span className="bg-surface/80 pe-1">{label(most)}</span>
      <span className="bg-surface/80 pe-1">{label(most / 2n)}</span>
      <span />
    </div>
  );
}

function Picture({
  bars,
  most,
  hovered,
  hover,
}: {
  bars: Bar[];
  most: bigint;
  hovered: number | null;
  hover: (at: number | null) => void;
}) {
  const step = WIDTH / bars.length;
  // The table has exact figures.
  const height = (minor: bigint) => (Number((minor * 10_000n) / most) / 10_000) * (HEIGHT - 8);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-40 w-full rtl:-scale-x-100"
      aria-hidden="true"
      onMouseLeave={() => hover(null)}
    >
      {[0, 0.5, 1].map((part) => (
        <line
          key={part}
          x1="0"
          x2={WIDTH}
          y1={HEIGHT - part * (HEIGHT - 8)}
          y2={HEIGHT - part * (HEIGHT - 8)}
          className="stroke-line"
          vectorEffect="non-scaling-stroke"
          strokeWidth="1"
        />
      ))}
      {bars.map((bar, at) => {
        const direct = height(bar.direct);
        const routed = height(bar.routed);
        const x = at * step + (step * GAP) / 2;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: hovering only repeats what the table says
          <g key={bar.day} onMouseEnter={() => hover(at)} opacity={hovered === null || hovered === at ? 1 : 0.45}>
            <rect x={at * step} y="0" width={step} height={HEIGHT} fill="transparent" />
            <rect x={x} y={HEIGHT - direct} width={step * (1 - GAP)} height={direct} className="fill-accent" />
            <rect x={x} y={HEIGHT - direct - routed} width={step * (1 - GAP)} height={routed} className="fill-routed" />
          </g>
        );
      })}
    </svg>
  );
}

/** The same figures for screen readers. */
function FigureTable({ bars }: { bars: Bar[] }) {
  const { t } = useLanguage();
  return (
    // A table itself would ignore the size of the hidden element.
    <div className="sr-only">
      <table>
        <caption>{t('Volume by day')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Day')}</th>
            <th scope="col">{t('Direct')}</th>
            <th scope="col">{t('Routed')}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.day}>
              <th scope="row">{bar.day}</th>
              <td>{fromCents(bar.direct)}</td>
              <td>{fromCents(bar.routed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
