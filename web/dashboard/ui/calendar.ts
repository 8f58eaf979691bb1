const DAY_MS = 86_400_000;

/** The days of a month's calendar as `2026-03-14`, in whole weeks; null for the places of other months. */
export function daysOfMonth(month: string, firstDay: number): (string | null)[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const before = (first.getUTCDay() - firstDay + 7) % 7;
  const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const places = Math.ceil((before + count) / 7) * 7;
  return Array.from({ length: places }, (_, at) => {
    const day = at - before + 1;
    return day < 1 || day > count ? null : `${month}-${String(day).padStart(2, '0')}`;
  });
}

export function otherDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The month before or after, as `2026-03`. */
export function otherMonth(month: string, months: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
}

/** The first day of the week where this language is spoken; 0 is Sunday. */
export function firstDayOfWeek(locale: string): number {
  const place = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  return (place.getWeekInfo?.().firstDay ?? 1) % 7;
}
