import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { openAccount } from '../invitations/admit.ts';
import { consumeCode, countTry } from './code-store.ts';
import { readEmailAddress } from './email-address.ts';
import { hashEmailCode } from './email-code.ts';
import { issueLoginToken } from './login-token.ts';
import { findEmailAccount, findOrCreateEmailAccount } from './store.ts';

/**
 * Exchanges a code for a login token, and opens the account the first time. A wrong, used, expired or unknown code gives
 * one and the same answer. Runs outside a transaction: the try must stay counted when the rest fails.
 */
export async function verifyEmailCode(ctx: Context, request: { email: string; code: string }): Promise<string> {
  const email = readEmailAddress(request.email) ?? fail('invalid_email_request', { param: 'email', message: 'Send the email address that the code was sent to.' });
  if (!ctx.mail.available) fail('email_unavailable');

  const now = await ctx.db.now();
  const hash = hashEmailCode(ctx.secrets, email, request.code);
  const live = await ctx.db.transaction((db) => countTry(db, email, now));
  const match = live.filter((code) => timingSafeEqual(code.code_hash, hash))[0];
  if (!match) fail('invalid_code');

  return ctx.db.transaction(async (db) => {
    if (!(await consumeCode(db, match.id, now))) fail('invalid_code');
    const find = () => findEmailAccount(db, email);
    const create = () => findOrCreateEmailAccount(db, { id: newId('acc'), email, now });
    const accountId = (await find()) ?? (await openAccount(ctx, db, { invitationId: match.invitation_id, now, find, create }));
    return issueLoginToken(db, { accountId, method: 'email', now });
  });
}
