import type { PaymentsSearch } from '../payments-search.ts';

export const PERIODS = [
  { key: 'today', name: 'Today' },
  { key: 'week', name: 'Last 7 days' },
  { key: 'month', name: 'Last 30 days' },
  { key: 'this-month', name: 'This month' },
] as const;
export type Period = (typeof PERIODS)[number]['key'];

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
  }
}

/** The period of two dates: `custom` for any others, undefined without dates. */
export function periodOf({ after, before }: PaymentsSearch, now: Date): Period | 'custom' | undefined {
  if (after === undefined && before === undefined) return undefined;
  const found = PERIODS.find(({ key }) => {
    const dates = datesOf(key, now);
    return dates.after === after && dates.before === before;
  });
  return found?.key ?? 'custom';
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
