export const PERIODS = [
  { key: 'today', name: 'Today' },
  { key: 'week', name: 'Last 7 days' },
  { key: 'month', name: 'Last 30 days' },
  { key: 'this-month', name: 'This month' },
  { key: 'last-month', name: 'Last month' },
] as const;
/** Those that books are closed by. */
export const BOOK_PERIODS = [
  { key: 'last-month', name: 'Last month' },
  { key: 'this-month', name: 'This month' },
  { key: 'last-year', name: 'Last year' },
  { key: 'this-year', name: 'This year' },
] as const;
type Period = (typeof PERIODS | typeof BOOK_PERIODS)[number]['key'];

/** The first and last day of a period, in UTC as the API counts days. */
export function datesOf(period: Period, now: Date): { after: string; before: string } {
  const daysAgo = (days: number) => dayOf(new Date(now.getTime() - days * 86_400_000));
  const today = dayOf(now);
  switch (period) {
    case 'today':
      return { after: today, before: today };
    case 'week':
      return { after: daysAgo(6), before: today };
    case 'month':
      return { after: daysAgo(29), before: today };
    case 'this-month':
      return { after: `${today.slice(0, 7)}-01`, before: today };
    case 'last-month': {
      const before = dayOf(new Date(Date.parse(`${today.slice(0, 7)}-01`) - 86_400_000));
      return { after: `${before.slice(0, 7)}-01`, before };
    }
    case 'this-year':
      return { after: `${today.slice(0, 4)}-01-01`, before: today };
    case 'last-year': {
      const year = now.getUTCFullYear() - 1;
      return { after: `${year}-01-01`, before: `${year}-12-31` };
    }
  }
}

/** The day after the last one, for a parameter that excludes its instant. */
export function dayAfter(day: string): string {
  return dayOf(new Date(Date.parse(day) + 86_400_000));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
