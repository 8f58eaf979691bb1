import type { Defense } from './list.ts';

const returned = 'server/src/settlement/records/returned.ts';
const test = (name: string) => `server/test/api/refunds/${name}.test.ts`;

/** What holds that no more is returned than arrived, and that a payment is refunded by what was returned of its price. */
export const RETURNED_DEFENSES: readonly Defense[] = [
  {
    rule: 'Refunds that may yet happen hold their money',
    file: returned,
    defends: '(actualOutputUnits ?? 0n) - refunds.claimedUnits',
    without: '(actualOutputUnits ?? 0n) - refunds.returnedUnits',
    test: test('together'),
    named: 'thirty at once reserve the same money once',
  },
  {
    rule: 'A refund that is not returned makes no payment refunded',
    file: returned,
    defends: 'const { returnedUnits } = payment.refunds;',
    without: 'const returnedUnits = payment.refunds.claimedUnits;',
    test: test('create-and-cancel'),
    named: 'that is cancelled frees its amount',
  },
  {
    rule: 'A surplus that is returned leaves the payment paid',
    file: returned,
    defends: 'returnedUnits > 0n && covers(returnedUnits, whole)',
    without: 'returnedUnits > 0n && covers(whole, returnedUnits)',
    test: test('create-and-cancel'),
    named: 'of a surplus leaves the payment paid, and is planned',
  },
  {
    rule: 'Who paid twice and has one price back has still paid',
    file: returned,
    defends: 'arrived < due || covers(arrived - due, due) ? arrived : due',
    without: 'arrived < due ? arrived : due',
    test: test('paid-twice'),
    named: 'one price back',
  },
  {
    rule: 'What strangers send in tiny parts hides no second payment of a customer',
    file: 'server/src/resources/dashboard/money-store.ts',
    defends: 'order by t.amount_units / cent.units desc, t.id limit 5',
    without: 'order by t.id limit 5',
    test: 'server/test/api/dashboard/money.test.ts',
    named: 'in tiny parts hides no second payment',
  },
  {
    rule: 'A payment that stays paid without a released transfer is refunded if all that is left was returned',
    file: 'server/src/settlement/outcome/settle.ts',
    defends: "isStillPaid || last.status === 'refund_required'",
    without: "last.status === 'refund_required'",
    test: 'server/test/api/transfers/release.test.ts',
    named: 'stays paid in full, and all that is left was returned',
  },
  {
    rule: 'A surplus that refunds are to return is not asked for again',
    file: returned,
    defends: 'surplusUnits(payment) - payment.refunds.claimedUnits',
    without: 'surplusUnits(payment) - payment.refunds.returnedUnits',
    test: 'server/test/api/payments/balance.test.ts',
    named: 'a surplus that refunds are to return',
  },
  {
    rule: 'The next refund says what others are to return',
    file: 'server/src/resources/dashboard/refund.ts',
    defends: 'payment.refunds.claimedUnits - payment.refunds.returnedUnits',
    without: 'payment.refunds.returnedUnits - payment.refunds.returnedUnits',
    test: 'server/test/api/payments/balance.test.ts',
    named: 'a surplus that refunds are to return',
  },
];
