import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import type { Account } from '../../platform/caller.ts';
import { lockName, type Transaction } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { type Mail, queueMail } from '../../platform/mails/queue-mail.ts';
import { failures } from '../../platform/metrics.ts';
import { DAY_MS, later, SECOND_MS, HOUR_MS } from '../../platform/time.ts';
import { locateMoney } from '../dashboard/money.ts';
import { findPaymentsById } from '../dashboard/search-store.ts';
import { type Envelope, MAX_SUMMARY_LINES, type MoneyPlace, singleMail, summaryMail } from './merchant-mails.ts';
import { sendReceipts } from './send-receipts.ts';
import {
  countWaiting,
  deleteWaiting,
  findAccountsToTell,
  findRecipient,
  finishNotices,
  lockWaiting,
  postponeNotices,
  readMailed,
  readWaiting,
  type WaitingNotice,
  type MailedNotices,
} from './store.ts';

const ACCOUNTS_AT_ONCE = 50;
/** Of one account in one turn: the rest follows in the next summary. */
const MAX_WAITING = 20_000;
const MAX_DELETED = 1_000;

/** Turns what happened into mails. No payment and no request waits for it. */
export const noticesJob: Job = {
  name: 'notices',
  everyMs: 5 * SECOND_MS,
  async run(ctx, signal) {
    return (await sendNotices(ctx, signal)) ? 'more' : 'idle';
  },
};

/** One turn. Returns whether more may be waiting. */
export async function sendNotices(ctx: Context, signal?: AbortSignal): Promise<boolean> {
  if (!ctx.mail.available) return (await deleteWaiting(ctx.db, MAX_DELETED)) >= MAX_DELETED;
  const receipts = await sendReceipts(ctx);
  const accounts = await findAccountsToTell(ctx.db, await ctx.db.now(), ACCOUNTS_AT_ONCE);
  let failed = 0;
  for (const account of accounts) {
    if (signal?.aborted) return false;
    const now = await ctx.db.now();
    try {
      await ctx.db.transaction((db) => tellAccount(ctx, db, account, now));
    } catch (error) {
      // A database outage ends the turn. Anything else must not hold up the accounts after this one, nor must a statement
      // that takes long for this account alone.
      if (isUnavailable(error)) await ctx.db.now();
      failures.inc({ job: noticesJob.name });
      ctx.log.error({ err: error, accountId: account.id }, 'notices not sent: retrying on the next turn');
      failed += 1;
    }
  }
  return receipts > 0 || (accounts.length === ACCOUNTS_AT_ONCE && failed < ACCOUNTS_AT_ONCE);
}

async function tellAccount(ctx: Context, db: Transaction, account: Account, now: Date): Promise<void> {
  // Two workers with different notices of one account would both find room.
  await lockName(db, `notices:${account.id}:${account.livemode}`);
  const mailed = await readMailed(db, account, later(now, -DAY_MS));
  const soonest = planMails(1, mailed, now);
  if (soonest.type === 'wait') return postponeNotices(db, account, { now, until: soonest.until, limit: MAX_WAITING });
  const ids = await lockWaiting(db, account, MAX_WAITING);
  if (ids.length === 0) return;
  const recipient = await findRecipient(db, account.id);
  const counts = await countWaiting(db, ids);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0 || !recipient?.email) return finishNotices(db, ids, { outcome: 'skipped', at: now });

  const plan = planMails(total, mailed, now);
  if (plan.type === 'wait') return postponeNotices(db, account, { now, until: plan.until, limit: MAX_WAITING });
  const envelope: Envelope = { to: recipient.email, livemode: account.livemode, publicUrl: ctx.config.publicUrl };
  if (plan.type === 'summary') {
    const mail = summaryMail(envelope, counts, await readWaiting(db, ids, MAX_SUMMARY_LINES));
    await queueAll(ctx, db, [mail], now);
    return finishNotices(db, ids, { outcome: 'digest', at: now });
  }
  const notices = await readWaiting(db, ids, MAX_SINGLE_MAILS_PER_DAY);
  await queueAll(ctx, db, await singleMails(ctx, db, account, { envelope, notices }), now);
  // Notices that are no longer current were left out, and do not count as mails of the day.
  const mailedIds = new Set(notices.map(({ id }) => id));
  await finishNotices(db, [...mailedIds], { outcome: 'mailed', at: now });
  const leftOut = ids.filter((id) => !mailedIds.has(id));
  await finishNotices(db, leftOut, { outcome: 'skipped', at: now });
}

async function singleMails(
  ctx: Context,
  db: Transaction,
  account: Account,
  { envelope, notices }: { envelope: Envelope; notices: readonly WaitingNotice[] },
): Promise<Mail[]> {
  const undecided = notices.filter(({ kind }) => kind === 'needs_decision').map(({ paymentId }) => paymentId ?? '');
  const places = new Map<string, MoneyPlace>();
  for (const payment of await findPaymentsById(db, account, undecided))
    places.set(payment.id, await locateMoney(ctx, db, payment));
  return notices.map((notice) => singleMail(envelope, notice, places.get(notice.paymentId ?? '')));
}

async function queueAll(ctx: Context, db: Transaction, mails: readonly Mail[], now: Date): Promise<void> {
  for (const mail of mails) await queueMail(db, ctx.secrets, mail, { now, usefulUntil: later(now, DAY_MS) });
  db.afterCommit(() => ctx.db.notify('mails'));
}

/** Mails about one thing each, per account and mode in 24 hours. Beyond that everything goes into summaries. */
const MAX_SINGLE_MAILS_PER_DAY = 20;
/** Between two summaries. */
const SUMMARY_INTERVAL_MS = HOUR_MS;

/** How what is waiting is mailed: each by itself, in one summary, or later. */
type MailPlan = { type: 'singles' } | { type: 'summary' } | { type: 'wait'; until: Date };

function planMails(waiting: number, mailed: MailedNotices, now: Date): MailPlan {
  if (mailed.singles + waiting <= MAX_SINGLE_MAILS_PER_DAY) return { type: 'singles' };
  const until = mailed.lastSummaryAt && later(mailed.lastSummaryAt, SUMMARY_INTERVAL_MS);
  return until && until > now ? { type: 'wait', until } : { type: 'summary' };
}
