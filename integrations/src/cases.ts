import type { PaymentFacts } from './core.ts';

/** What arrives for an order of 49.00 USD, in this order, and what becomes of it. */
export interface Case {
  name: string;
  arrives: Partial<PaymentFacts>[];
  /** The order was paid by another method before. */
  paidBy?: string;
  /** The total of the order, if it is another than that of the session. */
  total?: string;
  /** The order was canceled before. */
  isCanceled?: boolean;
  /** What Medusa captures, where it differs: what goes back completes no cart. Null if it has no such order. */
  medusa?: string | null;
  expect: { captured: string; refunded: string; closed: boolean; reviews: string[] };
}

/** The payment of which the cases change something. */
export const PAYMENT: PaymentFacts = {
  session: 'cs_1',
  livemode: true,
  status: 'created',
  sequence: 1,
  created_at: '2026-03-14T09:20:00.000Z',
  amount: '49.00',
  currency: 'USD',
  surplus: '0.00',
  refunded_amount: '0.00',
  failure_reason: null,
  settlement_alert: null,
};

const UNPAID = { captured: '0.00', refunded: '0.00', closed: false, reviews: [] };
const PAID = { ...UNPAID, captured: '49.00' };
const created = { status: 'created', sequence: 1 };
const pending = { status: 'pending', sequence: 2 };
const paid = { status: 'paid', sequence: 3 };
const expired = { status: 'expired', sequence: 3 };
const reviewed = (...reviews: string[]) => ({ ...UNPAID, reviews });

/** One table for every shop. */
export const CASES: readonly Case[] = [
  { name: 'the webhook comes first, then the customer', arrives: [pending, paid, paid], expect: PAID },
  { name: 'the customer comes first, then the webhook', arrives: [pending, pending, paid], expect: PAID },
  { name: 'no webhook comes, the shop asks', arrives: [paid], expect: PAID },
  { name: 'every webhook comes twice', arrives: [created, created, pending, pending, paid, paid], expect: PAID },
  { name: 'an older state after a newer one', arrives: [paid, pending, created], expect: PAID },
  { name: 'expired, in an old webhook after paid', arrives: [{ ...paid, sequence: 4 }, expired], expect: PAID },
  { name: 'short, then completed', arrives: [created, pending, { ...paid, sequence: 4 }], expect: PAID },
  {
    name: 'short until the end',
    arrives: [pending, { status: 'refund_required', sequence: 3, failure_reason: 'underpaid' }],
    expect: reviewed('underpaid'),
  },
  {
    name: 'late, then accepted by the merchant',
    arrives: [
      expired,
      { status: 'refund_required', sequence: 4, failure_reason: 'paid_late' },
      { ...paid, sequence: 5 },
    ],
    expect: { ...PAID, closed: true, reviews: ['paid_late'] },
  },
  { name: 'too much', arrives: [{ ...paid, surplus: '11.00' }], expect: PAID },
  {
    name: 'too much, and the surplus goes back',
    arrives: [
      { ...paid, surplus: '11.00' },
      { ...paid, surplus: '11.00', refunded_amount: '11.00' },
    ],
    expect: PAID,
  },
  {
    name: 'too much, and the whole price goes back',
    arrives: [
      { ...paid, surplus: '11.00' },
      { status: 'refunded', sequence: 4, surplus: '11.00', refunded_amount: '49.00' },
    ],
    expect: { ...PAID, refunded: '49.00' },
  },
  {
    name: 'two partial refunds, each of them seen twice',
    arrives: [paid, ...['10.00', '10.00', '25.50', '25.50'].map((refunded_amount) => ({ ...paid, refunded_amount }))],
    expect: { ...PAID, refunded: '25.50' },
  },
  {
    name: 'a partial refund that is seen before the payment',
    arrives: [{ ...paid, refunded_amount: '10.00' }, paid],
    medusa: '0.00',
    expect: { ...PAID, refunded: '10.00' },
  },
  {
    name: 'refunded, and an old paid after it',
    arrives: [paid, { status: 'refunded', sequence: 4, refunded_amount: '49.00' }, paid],
    expect: { ...PAID, refunded: '49.00' },
  },
  {
    name: 'refunded before it was captured',
    arrives: [{ status: 'refunded', sequence: 4, refunded_amount: '20.00' }],
    expect: { ...UNPAID, closed: true },
  },
  {
    name: 'its transfer is released to its owner',
    arrives: [paid, { status: 'failed', sequence: 4, failure_reason: 'transfer_released' }],
    expect: { ...PAID, reviews: ['transfer_released'] },
  },
  {
    // No event says it: a shop sees it when it asks.
    name: 'its transfer disappears from the chain',
    arrives: [paid, { ...paid, settlement_alert: {} }, { ...paid, settlement_alert: {} }],
    expect: { ...PAID, reviews: ['settlement_alert'] },
  },
  {
    name: 'its transfer disappears before it was captured, and an old webhook does not know of it',
    arrives: [{ ...paid, settlement_alert: {} }, paid],
    expect: reviewed('settlement_alert'),
  },
  { name: 'no money comes', arrives: [created, pending, expired, expired], expect: { ...UNPAID, closed: true } },
  { name: 'paid by another method, then expired here', paidBy: 'card', arrives: [pending, expired], expect: UNPAID },
  {
    name: 'paid by another method, then paid here',
    paidBy: 'card',
    arrives: [paid, paid],
    expect: reviewed('paid_twice'),
  },
  {
    name: 'expired, and the customer tries the order again',
    arrives: [expired, { ...paid, session: 'cs_again', retry_of: 'cs_1' }],
    expect: { ...PAID, closed: true },
  },
  {
    name: 'the order was canceled meanwhile',
    isCanceled: true,
    arrives: [paid],
    medusa: null,
    expect: reviewed('order_canceled'),
  },
  { name: 'the total is written without cents', total: '49', arrives: [paid], expect: PAID },
  { name: 'the order was changed meanwhile', total: '60.00', arrives: [paid], expect: reviewed('amount_differs') },
  { name: 'another currency', arrives: [{ ...paid, currency: 'EUR' }], expect: reviewed('amount_differs') },
  { name: 'the payment of another order', arrives: [{ ...paid, session: 'cs_2' }], expect: UNPAID },
  { name: 'a test payment', arrives: [{ ...paid, livemode: false }], expect: UNPAID },
  {
    name: 'the session is created again after a restore',
    arrives: [
      pending,
      { ...pending, sequence: 1, created_at: '2026-03-14T10:00:00.000Z' },
      { ...paid, sequence: 2, created_at: '2026-03-14T10:00:00.000Z' },
    ],
    expect: PAID,
  },
];
