import type { Context } from '../../../context.ts';
import type { Invitation } from './invitation.ts';

/** `setup`: production without an account, before the operator opens the first one. */
export type SignUp = 'open' | 'invite' | 'closed' | 'setup';

/** Who may open an account at this moment. */
export function signUpOf(
  { signup, profile }: Pick<Context['config'], 'signup' | 'profile'>,
  hasAccounts: boolean,
): SignUp {
  if (hasAccounts) return signup;
  return profile === 'production' ? 'setup' : 'open';
}

/** Whether a new account may be opened with this pending invitation, or without one. */
export function isAdmitted(signUp: SignUp, invitation: Pick<Invitation, 'kind'> | null): boolean {
  switch (signUp) {
    case 'open':
      return true;
    case 'invite':
      return invitation?.kind === 'member';
    case 'setup':
      return invitation?.kind === 'setup';
    case 'closed':
      return false;
  }
}

/** The text for a person who may not open an account, in errors and in mails. */
export const REFUSALS: Record<Exclude<SignUp, 'open'>, string> = {
  closed:
    'This server does not accept new accounts. If you already have an account, log in with the address ' +
    'or wallet that you used before. Otherwise ask the operator of this server.',
  invite:
    'New accounts on this server need an invitation. Ask the operator of this server for an invitation link and open it to sign in.',
  setup:
    'This server has no account yet. The operator opens the first one with the setup link that the server logs at startup.',
};
