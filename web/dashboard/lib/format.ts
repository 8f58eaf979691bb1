import { timeZone } from './time-zone.ts';

/** A display amount in the locale's format. Decimal strings stay exact. */
export function money(locale: string, amount: string, currency: string): string {
  return isolate(
    new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount as Intl.StringNumericLiteral),
  );
}

/** An amount with few digits, for the axis of a chart: `$1.2K`. */
export function roundMoney(locale: string, amount: string, currency: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  return isolate(format.format(amount as Intl.StringNumericLiteral));
}

/** Isolates text with its own direction, so that its parts keep their order among words of the other direction. */
function isolate(text: string): string {
  return document.documentElement.dir === 'rtl' ? `\u2068${text.replace(/[\u200E\u200F\u061C]/g, '')}\u2069` : text;
}

export function milliseconds(duration: number): string {
  return isolate(`${duration} ms`);
}

/**
 * An amount of an asset in the locale's format, without trailing zeros. Decimal strings stay exact. Not grouped, because
 * people compare it with what a wallet or an explorer shows.
 */
export function assetAmount(locale: string, amount: string | null, asset: string): string {
  if (amount === null) return '–';
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping: false });
  return isolate(`${format.format(amount as Intl.StringNumericLiteral)} ${asset}`);
}

export function instant(locale: string, at: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: timeZone() }).format(
    new Date(at),
  );
}

export function exactInstant(locale: string, at: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: timeZone() }).format(
    new Date(at),
  );
}

/** In UTC with the name of the zone, for tooltips of local times. */
export function utcInstant(locale: string, at: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' }).format(
    new Date(at),
  );
}

const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago something happened: `3 days ago`, `2 min. ago`, `now`. Null if it is still to come. */
export function ago(locale: string, at: string, now: number): string | null {
  const seconds = (now - Date.parse(at)) / 1000;
  if (seconds <= -60) return null;
  const words = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'auto' });
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return words.format(unit === 'second' ? 0 : -Math.floor(seconds / size), unit);
}

/** How long something takes, in its largest unit: `9 hr`. */
export function duration(locale: string, seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.floor(seconds / size),
  );
}

export function day(locale: string, at: string): string {
  return new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(at));
}

/** `0x1234…cdef`: people compare the ends. */
export function shorten(text: string, ends = 6): string {
  return text.length <= 2 * ends + 3
    ? text
    : `${text.slice(0, ends + (text.startsWith('0x') ? 2 : 0))}…${text.slice(-ends)}`;
}

/** A stranger's text without characters that turn its direction or are invisible. */
export function plain(text: string): string {
  return text.replace(/[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, '');
}
