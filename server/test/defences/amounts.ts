import type { Defence } from './list.ts';

const settlement = 'server/src/settlement';
const sessions = 'server/src/resources/checkout-sessions';
const amounts = 'server/test/api/reserved-amounts.test.ts';

/** What keeps exact amounts from running out, and from taking another customer's money. */
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
  {
    rule: 'An amount that a wallet was seen for stays reserved for 48 hours',
    file: `${settlement}/records/reserved-amount-store.ts`,
    defends: 'money || evidence ? QUARANTINE_WITH_EVIDENCE_MS : QUARANTINE_MS',
    without: 'money ? QUARANTINE_WITH_EVIDENCE_MS : QUARANTINE_MS',
    test: amounts,
    named: 'for 48 hours where a wallet was connected',
  },
  {
    rule: 'An amount that money came for stays reserved for 48 hours',
    file: `${settlement}/records/reserved-amount-store.ts`,
    defends: 'money || evidence ? QUARANTINE_WITH_EVIDENCE_MS : QUARANTINE_MS',
    without: 'evidence ? QUARANTINE_WITH_EVIDENCE_MS : QUARANTINE_MS',
    test: amounts,
    named: 'for 48 hours where money came',
  },
  {
    rule: 'An amount that nobody used is free again after 30 minutes',
    file: `${settlement}/records/reserved-amount-store.ts`,
    defends: 'money || evidence ? QUARANTINE_WITH_EVIDENCE_MS : QUARANTINE_MS',
    without: 'QUARANTINE_WITH_EVIDENCE_MS',
    test: amounts,
    named: 'for 30 minutes where nothing shows',
  },
  {
    rule: 'A hint after the end lengthens the quarantine',
    file: `${sessions}/submit-transaction.ts`,
    defends: '    await extendQuarantine(db, [payment.id]);\n',
    without: '    void extendQuarantine;\n',
    test: amounts,
    named: 'pointed at a transaction after the end',
  },
  {
    rule: 'A client address cannot use up the exact amounts of a wallet',
    file: `${sessions}/reserve-amount.ts`,
    defends: "(['client', 'paymentLinkId', 'accountId'] as const)",
    without: "(['paymentLinkId', 'accountId'] as const)",
    test: amounts,
    named: 'that holds as many exact amounts as it may is told',
  },
  {
    rule: 'Requests at once cannot pass the limit of a client address',
    file: `${sessions}/reserve-amount.ts`,
    defends: '  for (const key of keys) await lockName(',
    without: '  for (const key of []) await lockName(',
    test: amounts,
    named: 'is held to its limit by requests at once',
  },
  {
    rule: 'A payment link cannot use up the exact amounts of a wallet',
    file: `${sessions}/reserve-amount.ts`,
    defends: "(['client', 'paymentLinkId', 'accountId'] as const)",
    without: "(['client', 'accountId'] as const)",
    test: amounts,
    named: 'a payment link that holds as many exact amounts as it may',
  },
  {
    rule: 'An account that has not proved an address cannot use up its exact amounts',
    file: `${sessions}/reserve-amount.ts`,
    defends: "(['client', 'paymentLinkId', 'accountId'] as const)",
    without: "(['client', 'paymentLinkId'] as const)",
    test: amounts,
    named: 'an account that has not proved the address',
  },
  {
    rule: 'Many client addresses together cannot use up the exact amounts of a payment link',
    file: `${sessions}/reserve-amount.ts`,
    defends: 'own: counts.clientOfLink,',
    without: 'own: 0,',
    test: amounts,
    named: 'of a payment link, so that strangers leave some for customers',
  },
  {
    rule: 'Many client addresses together cannot use up the exact amounts of an account that has not proved an address',
    file: `${sessions}/reserve-amount.ts`,
    defends: 'own: counts.clientOfAccount,',
    without: 'own: 0,',
    test: amounts,
    named: 'of an account that has not proved the wallet, so that strangers leave some for customers',
  },
  {
    rule: 'An amount without a suffix is one that is never reserved',
    file: `${sessions}/choose-direct.ts`,
    defends: "identified === 'either' ? plainAmount(required, asset)",
    without: "identified === 'either' ? required",
    test: amounts,
    named: 'pays by a connected wallet beyond it',
  },
];
