import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Mail } from '../../platform/mails/mail.ts';
import { lockName } from '../../platform/db/advisory-lock.ts';
import { readClock } from '../../platform/db/clock.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { clientBucket, isLoopbackAddress } from '../../platform/http/admission/client.ts';
import { newId, randomBase62 } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mails/queue-mail.ts';
import { sha256 } from '../../platform/secrets.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { isAdmitted, REFUSALS } from '../accounts/invitations/sign-up.ts';
import { readInvitation, readSignUp } from '../accounts/invitations/admit.ts';
import { countStarts, insertCode, type RecentStarts } from './code-store.ts';
import { readEmailAddress } from '../accounts/email-address.ts';
import { CODE_LIFE_MS, EMAIL_LINK_TOKEN_LENGTH, emailLinkUrl, hashEmailCode, newEmailCode } from './email-code.ts';
import { findEmailAccount } from '../accounts/store.ts';

const WINDOW_MS = 10 * MINUTE_MS;
const STARTS_PER_ADDRESS_AND_CLIENT = 5;
const STARTS_PER_CLIENT = 30;
const PROMPT_MAILS_PER_DAY = 20;
const SLOW_INTERVAL_MS = MINUTE_MS;
/** Mails that explain why there is no code. More would let strangers fill a mailbox. */
const MAX_NOTICES_PER_DAY = 3;

export interface EmailLoginStarted {
  expiresInSeconds: number;
}

/**
 * Mails a login code. If the address has no account and may not open one, the mail says what to do instead. The answer
 * is the same in all cases.
 */
export async function startEmailLogin(
  ctx: Context,
  db: Transaction,
  request: { email: string; client: string; invitation: string | undefined },
): Promise<EmailLoginStarted> {
  const email =
    readEmailAddress(request.email) ??
    fail('invalid_email_request', { param: 'email', message: 'Send an email address such as ada@example.com.' });
  if (!ctx.mail.available) fail('email_unavailable');

  const now = await readClock(db);
  const client = clientBucket(request.client);
  const isCounted = !(ctx.config.profile === 'development' && isLoopbackAddress(request.client));
  const signUp = await readSignUp(ctx, db);
  const invitation = await readInvitation(db, signUp, request.invitation, now);
  await lockName(db, `login email:${email}`);
  const recent = await countStarts(db, {
    email,
    client,
    since: later(now, -WINDOW_MS),
    dayBefore: later(now, -DAY_MS),
  });
  if (isCounted) refuseTooMany(recent);

  const sendAt = isCounted ? whenToSend(recent, now) : now;
  const account = await findEmailAccount(db, email);
  if (sendAt) {
    const login = { email, client, now, sendAt, invitationId: invitation?.id ?? null };
    const isRefused = account === undefined && signUp !== 'open' && !isAdmitted(signUp, invitation);
    if (!isRefused) await sendCode(ctx, db, login);
    else
      await refuseByMail(ctx, db, login, {
        reason: REFUSALS[signUp],
        isDue: recent.byAddressToday < MAX_NOTICES_PER_DAY,
      });
  }
  return { expiresInSeconds: CODE_LIFE_MS / SECOND_MS };
}

function refuseTooMany(recent: RecentStarts): void {
  if (recent.byAddressAndClient < STARTS_PER_ADDRESS_AND_CLIENT && recent.byClient < STARTS_PER_CLIENT) return;
  fail('rate_limited', {
    message: 'Too many codes were requested. Use the newest one, or wait ten minutes.',
    retryAfterSeconds: WINDOW_MS / SECOND_MS,
  });
}

/**
 * At once, until the address has had its mails of the day; after that one a minute, so that a stranger can neither fill
 * a mailbox nor lock its owner out. Undefined if such a mail is already due.
 */
function whenToSend(recent: Pick<RecentStarts, 'byAddressToday' | 'newest'>, now: Date): Date | undefined {
  if (recent.byAddressToday < PROMPT_MAILS_PER_DAY || !recent.newest) return now;
  if (recent.newest > now) return undefined;
  const next = later(recent.newest, SLOW_INTERVAL_MS);
  return next > now ? next : now;
}

interface StartedLogin {
  email: string;
  client: string;
  now: Date;
  sendAt: Date;
  invitationId: string | null;
}

async function sendCode(ctx: Context, db: Transaction, login: StartedLogin): Promise<void> {
  const code = newEmailCode();
  const token = randomBase62(EMAIL_LINK_TOKEN_LENGTH);
  await recordStart(db, login, { hash: hashEmailCode(ctx.secrets, login.email, code), linkHash: sha256(token) });
  await sendMail(ctx, db, login, codeMail(login.email, code, emailLinkUrl(ctx.config.publicUrl, login.email, token)));
}

/** Counts like a login with a code, so that no limit reveals which accounts exist. No code has this hash. */
async function refuseByMail(
  ctx: Context,
  db: Transaction,
  login: StartedLogin,
  notice: { reason: string; isDue: boolean },
): Promise<void> {
  await recordStart(db, login, { hash: randomBytes(32), linkHash: null });
  if (notice.isDue) await sendMail(ctx, db, login, noticeMail(login.email, notice.reason, ctx.config.publicUrl));
}

async function recordStart(
  db: Transaction,
  { email, client, sendAt, invitationId }: StartedLogin,
  hashes: { hash: Buffer; linkHash: Buffer | null },
): Promise<void> {
  await insertCode(db, {
    id: newId('code'),
    email,
    ...hashes,
    client,
    sendAt,
    expiresAt: later(sendAt, CODE_LIFE_MS),
    invitationId,
  });
}

async function sendMail(ctx: Context, db: Transaction, { now, sendAt }: StartedLogin, mail: Mail): Promise<void> {
  await queueMail(db, ctx.secrets, mail, { now, due: sendAt, usefulUntil: later(sendAt, CODE_LIFE_MS) });
  db.afterCommit(() => ctx.db.notify('mails'));
}

/**
 * The code is the last word of the subject, so that a notification shows it. The mail contains nothing that the caller
 * sent.
 */
function codeMail(email: string, code: string, url: string): Mail {
  return {
    to: email,
    subject: `Your Quittance login code: ${code}`,
    text: [
      `Your login code is ${code}`,
      '',
      'Or open this link and press the button:',
      url,
      '',
      'The code and the link expire in ten minutes. You can use one of them, once.',
      'If you didn’t request this code, you can ignore this email.',
      'No one from Quittance will ever ask you for this code or link.',
      '',
    ].join('\n'),
  };
}

function noticeMail(email: string, reason: string, publicUrl: string): Mail {
  return {
    to: email,
    subject: `No Quittance account for this address at ${new URL(publicUrl).host}`,
    text: [
      `A login code was requested for this address at ${publicUrl}, but there is no account for it.`,
      '',
      reason,
      '',
      'If you didn’t request a code, you can ignore this email.',
      '',
    ].join('\n'),
  };
}
