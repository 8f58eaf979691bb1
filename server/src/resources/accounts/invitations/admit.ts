import type { Context } from '../../../context.ts';
import { lockName, type Db, type Transaction } from '../../../platform/db/db.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import { sha256 } from '../../../platform/secrets.ts';
import { hasAnyAccount } from '../store.ts';
import { type Invitation, statusOf, INVITATION_TOKEN_LENGTH } from './invitation.ts';
import { isAdmitted, REFUSALS, type SignUp, signUpOf } from './sign-up.ts';
import { deleteSetupLinks, findInvitationByToken, lockInvitation, markInvitationUsed } from './store.ts';

const TOKEN = new RegExp(`^[0-9A-Za-z]{${INVITATION_TOKEN_LENGTH}}$`);

export async function readSignUp({ config, db }: Context, on: Db = db): Promise<SignUp> {
  return signUpOf(config, await hasAnyAccount(on));
}

/**
 * The pending invitation of a token, or null if sign-up does not need one. An invalid token fails at once and for every
 * address alike, so that the answer reveals nothing about accounts.
 */
export async function readInvitation(
  db: Db,
  signUp: SignUp,
  token: string | undefined,
  now: Date,
): Promise<Invitation | null> {
  if (token === undefined || signUp === 'open' || signUp === 'closed') return null;
  const invitation = TOKEN.test(token) ? await findInvitationByToken(db, sha256(token)) : undefined;
  if (!invitation || statusOf(invitation, now) !== 'pending' || !isAdmitted(signUp, invitation))
    fail('invalid_invitation', { param: 'invitation' });
  return invitation;
}

/**
 * Opens an account if sign-up allows it, and uses up the invitation in the same transaction. `find` is called again
 * under the lock, because a login with the same link may have opened the account meanwhile.
 */
export async function openAccount<T>(
  ctx: Context,
  db: Transaction,
  request: { invitationId: string | null; now: Date; find: () => Promise<T | undefined>; create: () => Promise<T> },
): Promise<T> {
  const { invitationId, now, find, create } = request;
  let signUp = await readSignUp(ctx, db);
  if (signUp === 'setup') {
    await lockName(db, 'first account');
    signUp = await readSignUp(ctx, db);
  }
  const invitation = invitationId !== null && signUp !== 'open' ? await lockInvitation(db, invitationId) : undefined;
  const pending = invitation && statusOf(invitation, now) === 'pending' ? invitation : null;
  if (!isAdmitted(signUp, pending)) return (await find()) ?? refuse(signUp, invitationId !== null);

  const account = await create();
  if (pending) await markInvitationUsed(db, pending.id, now);
  if (signUp === 'setup') await deleteSetupLinks(db);
  return account;
}

function refuse(signUp: SignUp, hadInvitation: boolean): never {
  if (hadInvitation && signUp === 'invite') throw new ApiError('invalid_invitation', { param: 'invitation' });
  return fail('signup_closed', { message: signUp === 'open' ? undefined : REFUSALS[signUp] });
}
