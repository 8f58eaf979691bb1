import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { issueLoginToken } from '../accounts/login-token.ts';
import { insertLoginLink, takeLoginLink } from '../accounts/token-store.ts';

const LINK_LIFE_MS = 30 * MINUTE_MS;
const LINK_TOKEN = /^[0-9A-Za-z]{43}$/;

/**
 * A token that logs into the account once, for the link that the first start prints. The person who starts the service
 * owns its database, so this grants no new access.
 */
export async function createLoginLink(ctx: Context, accountId: string): Promise<string> {
  const token = randomBase62(43);
  const now = await ctx.db.now();
  await insertLoginLink(ctx.db, { hash: sha256(token), accountId, now, expiresAt: later(now, LINK_LIFE_MS) });
  return token;
}

/** Exchanges the token of a link for a login token. */
export async function redeemLoginLink(ctx: Context, token: string): Promise<string> {
  if (!LINK_TOKEN.test(token)) fail('invalid_credentials');
  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    const accountId =
      (await takeLoginLink(db, sha256(token), now)) ??
      fail('invalid_credentials', {
        message:
          'This login link was already used or has expired. Restart the server for a new one, or log in by email.',
      });
    return issueLoginToken(db, { accountId, method: 'link', now });
  });
}
