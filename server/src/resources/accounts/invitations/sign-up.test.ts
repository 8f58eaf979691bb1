import { describe, expect, test } from 'vitest';
import { isAdmitted, signUpOf } from './sign-up.ts';

const setup = { kind: 'setup' } as const;
const member = { kind: 'member' } as const;

describe('who may open an account', () => {
  test.each([
    ['production', 'open', false, 'setup'],
    ['production', 'invite', false, 'setup'],
    ['production', 'closed', false, 'setup'],
    ['production', 'open', true, 'open'],
    ['production', 'invite', true, 'invite'],
    ['production', 'closed', true, 'closed'],
    ['development', 'closed', false, 'open'],
    ['development', 'open', true, 'open'],
    ['development', 'closed', true, 'closed'],
  ] as const)('%s with SIGNUP=%s and accounts=%s: %s', (profile, signup, hasAccounts, expected) => {
    expect(signUpOf({ profile, signup }, hasAccounts)).toBe(expected);
  });

  test.each([
    ['open', true, true, true],
    ['invite', false, false, true],
    ['setup', false, true, false],
    ['closed', false, false, false],
  ] as const)(
    '%s: without an invitation %s, with the setup link %s, with an invitation %s',
    (signUp, alone, bySetup, byMember) => {
      expect([isAdmitted(signUp, null), isAdmitted(signUp, setup), isAdmitted(signUp, member)]).toEqual([
        alone,
        bySetup,
        byMember,
      ]);
    },
  );
});
