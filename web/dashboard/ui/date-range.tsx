import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type MessageKey, useLanguage } from '../lib/i18n.tsx';
import { daysOfMonth, firstDayOfWeek, otherDay, otherMonth } from './calendar.ts';
import { Icon } from './icon.tsx';
import { Popup } from './popup.tsx';
import { pressableClass } from './basic.tsx';

export interface DateRange {
  after?: string | undefined;
  before?: string | undefined;
}

interface Preset extends DateRange {
  name: MessageKey;
}

/** A period: one of the presets, or two days of a calendar. Days are in UTC, as the API counts them. */
export function DateRangeField({
  label,
  range,
  presets,
  choose,
}: {
  label: string;
  range: DateRange;
  presets: readonly Preset[];
  choose: (range: DateRange) => void;
}) {
  const { t, locale } = useLanguage();
  const current = presets.find(({ after, before }) => after === range.after && before === range.before);
  const shown = current ? t(current.name) : rangeText(locale, range);
  return (
    <Popup label={shown} name={`${label}: ${shown}`} isText>
      {(close) => {
        const take = (next: DateRange) => {
          choose(next);
          close();
        };
        return (
          <div className="grid gap-4 sm:grid-cols-[max-content_max-content]">
            <fieldset className="flex flex-wrap gap-1 sm:flex-col" aria-label={label}>
              {presets.map((preset) => (
                <button
                  key={preset.name}
                  type="button"
                  aria-pressed={preset === current}
                  onClick={() => take({ after: preset.after, before: preset.before })}
                  className={`${pressableClass} py-1.5 text-start`}
                >
                  {t(preset.name)}
                </button>
              ))}
            </fieldset>
            <Calendar range={range} choose={take} />
          </div>
        );
      }}
    </Popup>
  );
}

function Calendar({ range, choose }: { range: DateRange; choose: (range: DateRange) => void }) {
  const { t } = useLanguage();
  const [first, setFirst] = useState<string | null>(null);
  const [at, setAt] = useState(range.before ?? range.after ?? currentDay());
  const isMoved = useRef(false);
  const grid = useRef<HTMLDivElement>(null);

  // Only after a key, because a click keeps the focus where it is.
  useEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLButtonElement>(`[data-day="${at}"]`)?.focus();
    isMoved.current = false;
  }, [at]);

  const pick = (day: string) => {
    setAt(day);
    if (first === null) setFirst(day);
    else choose(first < day ? { after: first, before: day } : { after: day, before: first });
  };
  const pressed = (event: KeyboardEvent) => {
    const side = document.documentElement.dir === 'rtl' ? -1 : 1;
    const steps: Record<string, number> = { ArrowRight: side, ArrowLeft: -side, ArrowDown: 7, ArrowUp: -7 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    isMoved.current = true;
    setAt(otherDay(at, step));
  };
  return (
    <div className="grid gap-2">
      <MonthHead at={at} turn={(months) => setAt(`${otherMonth(at.slice(0, 7), months)}-01`)} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move among the buttons inside */}
      <div ref={grid} className="grid grid-cols-7 justify-items-center text-center text-sm" onKeyDown={pressed}>
        <Weekdays />
        <Days at={at} range={first ? { after: first, before: first } : range} pick={pick} />
      </div>
      <p role="status" className="min-h-5 text-xs text-quiet">
        {first ? t('Choose the last day.') : t('Choose the first day. Days are in UTC.')}
      </p>
    </div>
  );
}

/** The name of the month, between the arrows to the previous and the next one. */
function MonthHead({ at, turn }: { at: string; turn: (months: number) => void }) {
  const { t, locale } = useLanguage();
  const arrow = 'grid size-8 place-items-center rounded-lg text-quiet hover:bg-raised hover:text-ink';
  return (
    <div className="flex items-center justify-between">
      <button
        type="button"
        className={`${arrow} rotate-90 rtl:-rotate-90`}
        aria-label={t('Previous month')}
        onClick={() => turn(-1)}
      >
        <Icon name="down" size={16} />
      </button>
      <p className="text-sm font-medium" aria-live="polite">
        {dayFormat(locale, { month: 'long', year: 'numeric' })(at)}
      </p>
      <button
        type="button"
        className={`${arrow} -rotate-90 rtl:rotate-90`}
        aria-label={t('Next month')}
        onClick={() => turn(1)}
      >
        <Icon name="down" size={16} />
      </button>
    </div>
  );
}

function Weekdays() {
  const { locale } = useLanguage();
  const weekday = dayFormat(locale, { weekday: 'narrow' });
  // 2023-01-01 was a Sunday.
  const weekdays = Array.from({ length: 7 }, (_, day) => otherDay('2023-01-01', firstDayOfWeek(locale) + day));
  return weekdays.map((day) => (
    <span key={day} className="pb-1 text-xs text-quiet" aria-hidden="true">
      {weekday(day)}
    </span>
  ));
}

/** The days of the month of `at`, which is the one that the Tab key reaches. */
function Days({ at, range, pick }: { at: string; range: DateRange; pick: (day: string) => void }) {
  const { locale } = useLanguage();
  const today = currentDay();
  const [after, before] = [range.after ?? range.before, range.before ?? range.after];
  const [fullName, number] = [dayFormat(locale, { dateStyle: 'full' }), dayFormat(locale, { day: 'numeric' })];
  return daysOfMonth(at.slice(0, 7), firstDayOfWeek(locale)).map((day, place) =>
    day === null ? (
      <span key={`empty ${place}`} />
    ) : (
      <button
        key={day}
        type="button"
        data-day={day}
        tabIndex={day === at ? 0 : -1}
        aria-label={fullName(day)}
        aria-pressed={after !== undefined && before !== undefined && day >= after && day <= before}
        aria-current={day === today ? 'date' : undefined}
        onClick={() => pick(day)}
        className={DAY}
      >
        {number(day)}
      </button>
    ),
  );
}

const DAY =
  'size-9 rounded-lg tabular-nums hover:bg-raised ' +
  'aria-[current=date]:font-semibold aria-pressed:bg-tint aria-pressed:text-accent';

function currentDay(): string {
  return new Date().toISOString().slice(0, 10);
}

function dayFormat(locale: string, options: Intl.DateTimeFormatOptions): (day: string) => string {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (day) => format.format(new Date(day));
}

function rangeText(locale: string, { after, before }: DateRange): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const [from, to] = [after, before].map((day) => day && new Date(day));
  if (from && to) return format.formatRange(from, to);
  return from ? `${format.format(from)} –` : `– ${format.format(to as Date)}`;
}
