export const PERIODS = [
  { key: 'today', name: 'Today' },
  { key: 'week', name: 'Last 7 days' },
  { key: 'month', name: 'Last 30 days' },
  { key: 'this-month', name: 'This month' },
] as const;
type Period = (typeof PERIODS)[number]['key'];

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

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
