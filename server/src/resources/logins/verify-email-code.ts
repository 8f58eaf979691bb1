import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { openAccount } from '../accounts/invitations/admit.ts';
import { consumeCode, consumeLink, countTry } from './code-store.ts';
import { readEmailAddress, requireEmailAddress } from '../../platform/email-address.ts';
import { EMAIL_LINK_TOKEN_LENGTH, hashEmailCode } from './email-code.ts';
import { issueLoginToken } from '../accounts/login-token.ts';
import { findEmailAccount, findOrCreateEmailAccount } from '../accounts/store.ts';

/** Verifications by code and by link of one client. All routes that verify share this quota. */
export const VERIFICATION_QUOTA = { name: 'email verification', perMinute: 20 };

const LINK_TOKEN = new RegExp(`^[0-9A-Za-z]{${EMAIL_LINK_TOKEN_LENGTH}}$`);

/**
 * Exchanges a code for a login token, and opens the account the first time. A wrong, used, expired or unknown code gets
 * the same answer. Runs outside a transaction, because the try must stay counted if the rest fails.
 */
export async function verifyEmailCode(
  ctx: Context,
  request: { email: string; code: string; client: Client },
): Promise<string> {
  const email = requireEmailAddress(request.email, 'email', 'invalid_email_request');
  if (!ctx.mail.available) fail('email_unavailable');

  const now = await ctx.db.now();
  const hash = hashEmailCode(ctx.secrets, email, request.code);
  const live = await ctx.db.transaction((db) => countTry(db, { email, client: request.client, now }));
  const match = live.filter((code) => timingSafeEqual(code.codeHash, hash))[0];
  if (!match) fail('invalid_code');

  return ctx.db.transaction(async (db) => {
    if (!(await consumeCode(db, match.id, now))) fail('invalid_code');
    return logIn(ctx, db, { email, invitationId: match.invitationId, now });
  });
}

/** Exchanges the link of a mail for a login token. Wrong links change nothing, so no one can burn it. */
export async function verifyEmailLink(ctx: Context, request: { email: string; token: string }): Promise<string> {
  const message = 'This login link was already used or has expired. Request a new code.';
  const email = readEmailAddress(request.email);
  if (email === undefined || !LINK_TOKEN.test(request.token)) fail('invalid_code', { message });

  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    const started =
      (await consumeLink(db, { email, hash: sha256(request.token), now })) ?? fail('invalid_code', { message });
    return logIn(ctx, db, { email, invitationId: started.invitationId, now });
  });
}

async function logIn(
  ctx: Context,
  db: Transaction,
  { email, invitationId, now }: { email: string; invitationId: string | null; now: Date },
): Promise<string> {
  const find = () => findEmailAccount(db, email);
  const create = () => findOrCreateEmailAccount(db, { id: newId('acc'), email, now });
  const accountId = (await find()) ?? (await openAccount(ctx, db, { invitationId, now, find, create }));
  return issueLoginToken(db, { accountId, method: 'email', now });
}
