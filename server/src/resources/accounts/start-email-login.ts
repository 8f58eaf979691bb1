import type { Context } from '../../context.ts';
import { readClock } from '../../platform/db/clock.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { clientBucket, isLoopbackAddress } from '../../platform/http/client.ts';
import { newId } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mails/queue-mail.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { countStarts, insertCode, type RecentStarts } from './code-store.ts';
import { readEmailAddress } from './email-address.ts';
import { CODE_LIFE_MS, hashEmailCode, newEmailCode } from './email-code.ts';
import { standInQueue } from './queue-store.ts';

const WINDOW_MS = 10 * MINUTE_MS;
const STARTS_PER_ADDRESS_AND_CLIENT = 5;
const STARTS_PER_CLIENT = 30;
const PROMPT_MAILS_PER_DAY = 20;
const SLOW_INTERVAL_MS = MINUTE_MS;

export interface EmailLoginStarted {
  expiresInSeconds: number;
}

/** Sends a login code. Does and answers the same whether or not the address has an account. */
export async function startEmailLogin(
  ctx: Context,
  db: Transaction,
  request: { email: string; client: string },
): Promise<EmailLoginStarted> {
  const email = readEmailAddress(request.email) ?? fail('invalid_email_request', { param: 'email', message: 'Send an email address such as ada@example.com.' });
  if (!ctx.mail.available) fail('email_unavailable');

  const now = await readClock(db);
  const client = clientBucket(request.client);
  const isCounted = !(ctx.config.profile === 'development' && isLoopbackAddress(request.client));
  await standInQueue(db, `email:${email}`, now);
  const recent = await countStarts(db, { email, client, since: later(now, -WINDOW_MS), dayBefore: later(now, -DAY_MS) });
  if (isCounted) refuseTooMany(recent);

  const sendAt = isCounted ? whenToSend(recent, now) : now;
  if (sendAt) await sendCode(ctx, db, { email, client, now, sendAt });
  return { expiresInSeconds: CODE_LIFE_MS / SECOND_MS };
}

function refuseTooMany(recent: RecentStarts): void {
  if (recent.byAddressAndClient < STARTS_PER_ADDRESS_AND_CLIENT && recent.byClient < STARTS_PER_CLIENT) return;
  fail('rate_limited', { message: 'Too many codes were requested. Use the newest one, or wait ten minutes.', retryAfterSeconds: WINDOW_MS / SECOND_MS });
}

/**
 * At once, until the address has had its mails of the day; from then on one a minute, so that a stranger who keeps
 * asking can neither fill a mailbox nor lock its owner out. Undefined where such a mail is on its way already.
 */
function whenToSend(recent: Pick<RecentStarts, 'byAddressToday' | 'newest'>, now: Date): Date | undefined {
  if (recent.byAddressToday < PROMPT_MAILS_PER_DAY || !recent.newest) return now;
  if (recent.newest > now) return undefined;
  const next = later(recent.newest, SLOW_INTERVAL_MS);
  return next > now ? next : now;
}

async function sendCode(ctx: Context, db: Transaction, login: { email: string; client: string; now: Date; sendAt: Date }): Promise<void> {
  const code = newEmailCode();
  const expiresAt = later(login.sendAt, CODE_LIFE_MS);
  await insertCode(db, {
    id: newId('code'),
    email: login.email,
    hash: hashEmailCode(ctx.secrets, login.email, code),
    client: login.client,
    sendAt: login.sendAt,
    expiresAt,
  });
  await queueMail(db, ctx.secrets, codeMail(login.email, code), { now: login.now, due: login.sendAt, usefulUntil: expiresAt });
  db.afterCommit(() => ctx.db.notify('mails'));
}

/** The code is the last word of the subject, so that a notification shows it. Nothing a caller sent stands in the mail. */
function codeMail(email: string, code: string): { to: string; subject: string; text: string } {
  return {
    to: email,
    subject: `Your Quittance login code: ${code}`,
    text: [
      `Your login code is ${code}`,
      '',
      'It is valid for ten minutes and can be used once.',
      'If you did not ask for it, somebody typed your address by mistake; you can ignore this mail.',
      'Nobody from Quittance will ever ask you for this code.',
      '',
    ].join('\n'),
  };
}
