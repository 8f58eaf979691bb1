import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { lockName, readClock, type Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { type Client, limitedClient } from '../../platform/http/admission/client.ts';
import { newId, randomBase62 } from '../../platform/ids.ts';
import { queueMail, type Mail } from '../../platform/mails/queue-mail.ts';
import { sha256 } from '../../platform/secrets.ts';
import { DAY_MS, HOUR_MS, later, SECOND_MS } from '../../platform/time.ts';
import { isAdmitted, REFUSALS } from '../accounts/invitations/sign-up.ts';
import { readInvitation, readSignUp } from '../accounts/invitations/admit.ts';
import { countStarts, insertCode, type RecentStarts } from './code-store.ts';
import { requireEmailAddress } from '../../platform/email-address.ts';
import { CODE_LIFE_MS, EMAIL_LINK_TOKEN_LENGTH, emailLinkUrl, hashEmailCode, newEmailCode } from './email-code.ts';
import { findEmailAccount } from '../accounts/store.ts';
import { MAX_STARTS, mayMail, MIN_CODE_LEFT_MS, refuseTooManyStarts, STARTS_WINDOW_MS } from './mail-limits.ts';

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
  request: { email: string; client: Client; invitation: string | undefined },
): Promise<EmailLoginStarted> {
  const email = requireEmailAddress(request.email, 'email', 'invalid_email_request');
  if (!ctx.mail.available) fail('email_unavailable');

  const now = await readClock(db);
  const { client } = request;
  const isCounted = limitedClient(ctx.config, client) !== null;
  const signUp = await readSignUp(ctx, db);
  const invitation = await readInvitation(db, signUp, request.invitation, now);
  await lockName(db, `login email:${email}`);
  const recent = await readRecentStarts(db, { email, client, now });
  if (isCounted) refuseTooManyStarts(recent, now);

  const account = await findEmailAccount(db, email);
  const isMailed = !isCounted || (await mayMail(ctx, db, { recent, hasAccount: account !== undefined, now }));
  const login = { email, client, now, invitationId: invitation?.id ?? null };
  const isRefused = account === undefined && signUp !== 'open' && !isAdmitted(signUp, invitation);
  if (!isMailed || (isRefused && recent.startsToday >= MAX_NOTICES_PER_DAY)) await recordUnsent(db, login);
  else if (isRefused) await refuseByMail(ctx, db, login, REFUSALS[signUp]);
  else await sendCode(ctx, db, login);
  return { expiresInSeconds: CODE_LIFE_MS / SECOND_MS };
}

function readRecentStarts(
  db: Transaction,
  { email, client, now }: { email: string; client: Client; now: Date },
): Promise<RecentStarts> {
  return countStarts(db, {
    email,
    client: client.narrow,
    clientRange: client.wide ?? undefined,
    limits: MAX_STARTS,
    since: later(now, -STARTS_WINDOW_MS),
    hourBefore: later(now, -HOUR_MS),
    dayBefore: later(now, -DAY_MS),
    usableUntil: later(now, MIN_CODE_LEFT_MS),
  });
}

interface StartedLogin {
  email: string;
  client: Client;
  now: Date;
  invitationId: string | null;
}

async function sendCode(ctx: Context, db: Transaction, login: StartedLogin): Promise<void> {
  const code = newEmailCode();
  const token = randomBase62(EMAIL_LINK_TOKEN_LENGTH);
  const hash = hashEmailCode(ctx.secrets, login.email, code);
  await recordStart(db, login, { hash, linkHash: sha256(token), isSent: true });
  await sendMail(ctx, db, login, codeMail(login.email, code, emailLinkUrl(ctx.config.publicUrl, login.email, token)));
}

async function refuseByMail(ctx: Context, db: Transaction, login: StartedLogin, reason: string): Promise<void> {
  await recordStart(db, login, { hash: noCode(), linkHash: null, isSent: true });
  await sendMail(ctx, db, login, noticeMail(login.email, reason, ctx.config.publicUrl));
}

/** Counts like a login with a code, so that no limit reveals which addresses have an account. */
function recordUnsent(db: Transaction, login: StartedLogin): Promise<void> {
  return recordStart(db, login, { hash: noCode(), linkHash: null, isSent: false });
}

/** No code has this hash. */
function noCode(): Buffer {
  return randomBytes(32);
}

async function recordStart(
  db: Transaction,
  { email, client, now, invitationId }: StartedLogin,
  mail: { hash: Buffer; linkHash: Buffer | null; isSent: boolean },
): Promise<void> {
  await insertCode(db, {
    id: newId('code'),
    email,
    ...mail,
    client: client.narrow,
    clientRange: client.wide ?? undefined,
    now,
    expiresAt: later(now, CODE_LIFE_MS),
    invitationId,
  });
}

async function sendMail(ctx: Context, db: Transaction, { now }: StartedLogin, mail: Mail): Promise<void> {
  await queueMail(db, ctx.secrets, mail, { now, usefulUntil: later(now, CODE_LIFE_MS) });
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
