import { HOUR_MS, later } from '../../platform/time.ts';

/** Mails about one thing each, per account and mode in 24 hours. Beyond that everything goes into summaries. */
export const MAX_SINGLE_MAILS_PER_DAY = 20;
/** Between two summaries. */
export const SUMMARY_INTERVAL_MS = HOUR_MS;

export interface MailedNotices {
  /** Mails about one thing each in the last 24 hours. */
  singles: number;
  lastSummaryAt: Date | null;
}

/** How what is waiting is mailed: each by itself, in one summary, or later. */
export type MailPlan = { type: 'singles' } | { type: 'summary' } | { type: 'wait'; until: Date };

export function planMails(waiting: number, mailed: MailedNotices, now: Date): MailPlan {
  if (mailed.singles + waiting <= MAX_SINGLE_MAILS_PER_DAY) return { type: 'singles' };
  const until = mailed.lastSummaryAt && later(mailed.lastSummaryAt, SUMMARY_INTERVAL_MS);
  return until && until > now ? { type: 'wait', until } : { type: 'summary' };
}
