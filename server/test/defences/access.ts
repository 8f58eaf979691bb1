import type { Defence } from './list.ts';

const accounts = 'server/src/resources/accounts';
const invitations = 'server/src/resources/invitations';
const signUp = 'server/test/api/sign-up.test.ts';

/** What guards accounts: who may open one, and who may log in to it. */
export const ACCESS_DEFENCES: readonly Defence[] = [
  {
    rule: 'No account is opened while sign-up is closed',
    file: `${invitations}/sign-up.ts`, defends: "case 'closed': return false;", without: "case 'closed': return true;",
    test: signUp, named: 'a wallet without an account gets 403 signup_closed',
  },
  {
    rule: 'The first account in production needs the setup link',
    file: `${invitations}/sign-up.ts`, defends: "return profile === 'production' ? 'setup' : 'open';", without: "return profile === 'production' ? signup : 'open';",
    test: signUp, named: 'needs the setup link from the log',
  },
  {
    rule: 'One of two setup links that are used at once opens the first account',
    file: `${invitations}/admit.ts`, defends: "    await lockName(db, 'first account');\n", without: '    void lockName;\n',
    test: signUp, named: 'goes to one of two setup links',
  },
  {
    rule: 'One invitation opens one account',
    file: `${invitations}/store.ts`, defends: 'from invitations where id = $1 for update`', without: 'from invitations where id = $1`',
    test: signUp, named: 'of ten logins with one invitation at once',
  },
  {
    rule: 'A revoked or expired invitation opens nothing',
    file: `${invitations}/admit.ts`, defends: "invitation && statusOf(invitation, now) === 'pending' ? invitation : null", without: 'invitation ?? null',
    test: signUp, named: 'that is revoked after its code was sent',
  },
  {
    rule: 'Only the operator invites',
    file: `${invitations}/create.ts`, defends: 'if (!(await isOperator(db, caller.id)))', without: 'if (caller.id === (await isOperator(db, caller.id)).toString())',
    test: signUp, named: 'only the operator manages invitations',
  },
  {
    rule: 'A closed server does not tell which addresses have an account',
    file: `${accounts}/start-email-login.ts`, defends: '    else await refuseByMail(', without: "    else if (isRefused) fail('signup_closed');\n    else await refuseByMail(",
    test: signUp, named: 'an unknown address gets the same answer as a known one',
  },
];
