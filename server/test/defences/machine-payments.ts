import type { Defence } from './list.ts';

const settlement = 'server/src/settlement';
const authorizations = 'server/test/journeys/authorizations.test.ts';

/** Defenses of payments that programs make by a signed credential. */
export const MACHINE_PAYMENT_DEFENCES: readonly Defence[] = [
  {
    rule: 'The nonce that the payer signed names the payment before its amount does',
    file: `${settlement}/attribution/attribute.ts`,
    defends: "if (authorization?.type === 'taken') return authorization;",
    without: '',
    test: authorizations,
    named: 'names its payment though the amount is reserved for another one',
  },
  {
    rule: 'A nonce counts only with the payer who signed it',
    file: `${settlement}/attribution/authorization-store.ts`,
    defends: 'nonce = any($3) and payer = $4',
    without: 'nonce = any($3) and $4::text is not null',
    test: authorizations,
    named: 'the same nonce of another payer names nothing',
  },
];
