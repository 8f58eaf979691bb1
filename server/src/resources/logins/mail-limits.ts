import type { Context } from '../../context.ts';
import { lockName, type Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { WIDER_ALLOWANCE } from '../../platform/http/admission/client.ts';
import { HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { countMails, type RecentStarts } from './code-store.ts';

/** Within `STARTS_WINDOW_MS`, whether they sent a mail or not. */
export const MAX_STARTS = { perAddressAndClient: 5, perClient: 30, perClientRange: 30 * WIDER_ALLOWANCE };
export const STARTS_WINDOW_MS = 10 * MINUTE_MS;

/** Mails to one address, for all clients together. */
export const MAX_MAILS_PER_ADDRESS = { hour: 10, day: 20 };

/** A code that expires sooner is not worth looking for in a mailbox. */
export const MIN_CODE_LEFT_MS = MINUTE_MS;

/** 429 where a client, or its /48, has started too many logins. */
export function refuseTooManyStarts({ fullSince }: RecentStarts, now: Date): void {
  const { addressAndClient, client, clientRange } = fullSince;
  const since = addressAndClient ?? client ?? clientRange;
  if (!since) return;
  const [count, whose] = addressAndClient
    ? [MAX_STARTS.perAddressAndClient, 'your network for this email address']
    : client
      ? [MAX_STARTS.perClient, 'your network']
      : [MAX_STARTS.perClientRange, 'the IPv6 range of your network (/48)'];
  refuseUntil(later(since, STARTS_WINDOW_MS), now, {
    reached: `${count} login codes were requested from ${whose} within ten minutes, which is the limit.`,
    instead: 'Use the newest code, or try again',
  });
}

/**
 * Whether this start sends a mail. Answers 429, for every address alike, while the service has sent all its login mails of the
 * hour. Counting is exact: starts that send wait for each other.
 */
export async function mayMail(
  ctx: Context,
  db: Transaction,
  login: { recent: RecentStarts; hasAccount: boolean; now: Date },
): Promise<boolean> {
  // Without the lock first, so that starts that send nothing do not wait.
  if (!isMailed(login, await readMailsOfHour(ctx, db, login.now))) return false;
  await lockName(db, 'login mails');
  return isMailed(login, await readMailsOfHour(ctx, db, login.now));
}

/**
 * Strangers may ask for any address. Where mails are scarce, addresses without an account get none, so that the rest is left for
 * those with one. These get another mail once they have no usable code, so that strangers cannot lock them out.
 */
function isMailed(
  { recent, hasAccount }: { recent: RecentStarts; hasAccount: boolean },
  mails: { areScarce: boolean },
): boolean {
  const isOverLimit =
    recent.mailsThisHour >= MAX_MAILS_PER_ADDRESS.hour || recent.mailsToday >= MAX_MAILS_PER_ADDRESS.day;
  if (!mails.areScarce && !isOverLimit) return true;
  return hasAccount && !recent.hasUsableCode;
}

/** Half of the mails of an hour are kept for addresses with an account. */
async function readMailsOfHour(ctx: Context, db: Transaction, now: Date): Promise<{ areScarce: boolean }> {
  const limit = ctx.config.loginMailsPerHour;
  const { sent, oldest } = await countMails(db, { since: later(now, -HOUR_MS), limit });
  const areScarce = sent >= Math.ceil(limit / 2);
  if (areScarce) raiseAlarm(ctx, sent < limit ? 'half' : 'all', { sent, limit, now });
  if (sent >= limit && oldest) {
    refuseUntil(later(oldest, HOUR_MS), now, {
      reached: `This server has sent ${limit} login mails within an hour, which is the limit.`,
      instead: 'Use a code that you have, or try again',
    });
  }
  return { areScarce };
}

function refuseUntil(free: Date, now: Date, { reached, instead }: { reached: string; instead: string }): never {
  const retryAfterSeconds = Math.max(1, Math.ceil((free.getTime() - now.getTime()) / SECOND_MS));
  const minutes = Math.ceil((retryAfterSeconds * SECOND_MS) / MINUTE_MS);
  return fail('rate_limited', {
    message: `${reached} ${instead} in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    retryAfterSeconds,
  });
}

/** Once an hour for each of the two, however many starts see it. */
function raiseAlarm(
  { log, caches }: Context,
  reached: 'half' | 'all',
  about: { sent: number; limit: number; now: Date },
): void {
  const last = caches.scarceMails.get(reached);
  if (last && about.now < later(last, HOUR_MS)) return;
  caches.scarceMails.set(reached, about.now);
  log.error(
    { alarm: 'login_mails_limited', sent: about.sent, limit: about.limit },
    reached === 'half'
      ? 'login mails limited: addresses without an account get none'
      : 'login mails limited: none are sent',
  );
}
