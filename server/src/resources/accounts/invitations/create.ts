import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Transaction } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { newId, randomBase62 } from '../../../platform/ids.ts';
import { sha256 } from '../../../platform/secrets.ts';
import { DAY_MS, HOUR_MS, later, SECOND_MS } from '../../../platform/time.ts';
import { requireEmailAddress } from '../../../platform/email-address.ts';
import { isOperator, lockAccount } from '../store.ts';
import { queueMail } from '../../../platform/mails/queue-mail.ts';
import { type Invitation, INVITATION_TOKEN_LENGTH, invitationUrl } from './invitation.ts';
import { REFUSALS } from './sign-up.ts';
import { countInvitations, insertInvitation } from './store.ts';

export const MAX_PENDING_INVITATIONS = 100;
export const MAX_INVITATIONS_PER_DAY = 200;
const DEFAULT_LIFE_SECONDS = 7 * 24 * 3_600;

export interface NewInvitation {
  invitation: Invitation;
  /** Contains the token; shown once. */
  url: string;
}

/** Creates a link that opens one account, and mails it if an address is given. */
export async function createInvitation(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  request: { email: string | null; label: string | null; expiresInSeconds: number | undefined },
): Promise<NewInvitation> {
  // Locked, so that concurrent requests are counted one after the other.
  await lockAccount(db, caller.id);
  await requireOperator(db, caller);
  if (ctx.config.signup === 'closed')
    fail('signup_closed', { message: `${REFUSALS.closed} The operator sets SIGNUP=invite to invite merchants.` });
  const email = request.email === null ? null : requireEmailAddress(request.email, 'email', 'invalid_request');
  if (email !== null && !ctx.mail.available)
    fail('email_unavailable', {
      message: 'No mail server is configured. Leave out `email` and share the link yourself.',
    });

  const now = caller.realNow;
  const { pending, today } = await countInvitations(db, caller.id, now, later(now, -DAY_MS));
  if (pending >= MAX_PENDING_INVITATIONS)
    fail('invalid_request', {
      message: `This server reached its limit of ${MAX_PENDING_INVITATIONS} pending invitations. Revoke one that is no longer needed.`,
    });
  if (today >= MAX_INVITATIONS_PER_DAY) {
    fail('rate_limited', {
      message: `This server reached its limit of ${MAX_INVITATIONS_PER_DAY} invitations in 24 hours. Try again later.`,
      retryAfterSeconds: HOUR_MS / SECOND_MS,
    });
  }

  const token = randomBase62(INVITATION_TOKEN_LENGTH);
  const url = invitationUrl(ctx.config.publicUrl, token);
  const invitation: Invitation = {
    id: newId('inv'),
    kind: 'member',
    accountId: caller.id,
    email,
    label: request.label,
    createdAt: now,
    expiresAt: later(now, (request.expiresInSeconds ?? DEFAULT_LIFE_SECONDS) * SECOND_MS),
    usedAt: null,
    revokedAt: null,
  };
  await insertInvitation(db, invitation, sha256(token));
  if (email !== null) {
    await queueMail(db, ctx.secrets, invitationMail(email, url, invitation.expiresAt, ctx.config.publicUrl), {
      now,
      usefulUntil: invitation.expiresAt,
    });
    db.afterCommit(() => ctx.db.notify('mails'));
  }
  return { invitation, url };
}

export async function requireOperator(db: Pick<Transaction, 'query'>, caller: Caller): Promise<void> {
  if (!(await isOperator(db, caller.id)))
    fail('forbidden', { message: "Only the operator's account can manage invitations." });
}

function invitationMail(
  to: string,
  url: string,
  expiresAt: Date,
  publicUrl: string,
): { to: string; subject: string; text: string } {
  const { host } = new URL(publicUrl);
  return {
    to,
    subject: `Your invitation to Quittance at ${host}`,
    text: [
      `You can open an account at ${host} with this link:`,
      '',
      url,
      '',
      `The link opens one account and is valid until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
      'If you didn’t expect this invitation, you can ignore this email.',
      '',
    ].join('\n'),
  };
}
