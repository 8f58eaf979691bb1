import type { Defence } from './list.ts';

const settlement = 'server/src/settlement';

/** What keeps exact amounts from taking another customer's money. */
export const AMOUNT_DEFENCES: readonly Defence[] = [
  {
    rule: 'A reference from the payer goes before the remainder of another payment',
    file: `${settlement}/attribution/attribute.ts`,
    defends: " && clues.reserved?.purpose !== 'remainder'",
    without: '',
    test: 'server/test/api/amounts-and-strangers.test.ts',
    named: "is not taken for another customer's payment",
  },
  {
    rule: 'A transfer from before the payment was given the amount is not found by it',
    file: `${settlement}/attribution/attribute.ts`,
    defends: 'reserved.since.getTime() - EARLY_TOLERANCE_MS',
    without: 'reserved.since.getTime() - EARLY_TOLERANCE_MS * 2',
    test: `${settlement}/attribution/attribute.test.ts`,
    named: 'before the payment was given the amount',
  },
];
