import { useState } from 'react';
import { cents, fromCents } from '@quittance/contract/cents';
import { day, money, roundMoney } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import type { OverviewJson } from '../lib/types.ts';

const HEIGHT = 150;
const GAP = 0.28;

/** Volume by day, direct and routed stacked. A table has the same figures for screen readers. */
export function VolumeChart({ days, currency }: { days: OverviewJson['days']; currency: string }) {
  const { t, locale } = useLanguage();
  const [hovered, setHovered] = useState<number | null>(null);
  const bars = days.map((one) => {
    const of = (route: string) =>
      one.paid
        .filter((paid) => paid.currency === currency && paid.route === route)
        .reduce((sum, paid) => sum + cents(paid.volume), 0n);
    const count = one.paid.filter((paid) => paid.currency === currency).reduce((sum, paid) => sum + paid.count, 0);
    return { day: one.day, direct: of('direct'), routed: of('routed'), count };
  });
  const most = bars.reduce((top, bar) => (bar.direct + bar.routed > top ? bar.direct + bar.routed : top), 1n);
  // Heights of the picture; the table has exact figures.
  const height = (minor: bigint) => (Number((minor * 10_000n) / most) / 10_000) * (HEIGHT - 8);
  const shown = hovered === null ? null : bars[hovered];
  const step = 1000 / bars.length;
  const axis = (minor: bigint) => (most > 1n ? roundMoney(locale, fromCents(minor), currency) : '');
  return (
    <figure className="grid gap-2">
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
      <div className="relative">
        {shown && (
          <div
            className={`pointer-events-none absolute -top-1 z-10 rounded-lg border border-line bg-surface px-2.5 py-1.5 text-xs shadow-lg ${(hovered ?? 0) * 2 < bars.length ? '' : 'rtl:translate-x-full ltr:-translate-x-full'}`}
            ref={(tip) => {
              if (tip) tip.style.insetInlineStart = `${(((hovered ?? 0) + 0.5) / bars.length) * 100}%`;
            }}
          >
            <span className="block text-quiet">{day(locale, shown.day)}</span>
            <span className="block font-medium tabular-nums">
              {money(locale, fromCents(shown.direct + shown.routed), currency)}
            </span>
            {t('{count} payments', { count: shown.count })}
          </div>
        )}
        <div
          className="pointer-events-none absolute inset-y-0 start-0 flex flex-col justify-between text-[0.65rem] text-quiet"
          aria-hidden="true"
        >
          <span className="bg-surface/80 pe-1">{axis(most)}</span>
          <span className="bg-surface/80 pe-1">{axis(most / 2n)}</span>
          <span />
        </div>
        <svg
          viewBox={`0 0 1000 ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-40 w-full rtl:-scale-x-100"
          aria-hidden="true"
          onMouseLeave={() => setHovered(null)}
        >
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              x1="0"
              x2="1000"
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
              <g
                key={bar.day}
                onMouseEnter={() => setHovered(at)}
                opacity={hovered === null || hovered === at ? 1 : 0.45}
              >
                <rect x={at * step} y="0" width={step} height={HEIGHT} fill="transparent" />
                <rect x={x} y={HEIGHT - direct} width={step * (1 - GAP)} height={direct} className="fill-accent" />
                <rect
                  x={x}
                  y={HEIGHT - direct - routed}
                  width={step * (1 - GAP)}
                  height={routed}
                  className="fill-routed"
                />
              </g>
            );
          })}
        </svg>
      </div>
      <div className="flex justify-between text-xs text-quiet" aria-hidden="true">
        {[0, Math.floor((bars.length - 1) / 2), bars.length - 1].map((at) => (
          <span key={at}>{bars[at] && day(locale, bars[at].day)}</span>
        ))}
      </div>
      {/* A table itself would ignore the size of the hidden element. */}
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
    </figure>
  );
}
