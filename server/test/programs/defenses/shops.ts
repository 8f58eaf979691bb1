import type { Defense } from './list.ts';

const core = 'integrations/src/core.ts';
const test = 'integrations/test/core.test.ts';
const medusa = 'integrations/medusa/src/due.ts';
const medusaTest = 'integrations/test/medusa.test.ts';
const provider = 'integrations/medusa/src/provider.ts';
const providerTest = 'server/test/api/shops/medusa.test.ts';
const vendureSettle = 'integrations/vendure/src/settle.ts';
const vendureTest = 'server/test/api/shops/vendure.test.ts';

/** What keeps a shop from taking a payment for another order, twice, or in doubt. */
export const SHOP_DEFENSES: readonly Defense[] = [
  {
    rule: 'A payment moves only the order whose session it has, or tries again',
    file: core,
    defends: 'retry_of !== null && sessions[retry_of] !== undefined ? null : known',
    without: 'retry_of !== undefined ? null : known',
    test,
    named: 'the payment of another order',
  },
  {
    rule: 'An order is found by the session that its customer tried again',
    file: core,
    defends: 'sessions[retry_of] !== undefined ? null : known',
    without: 'sessions[retry_of] !== undefined ? undefined : known',
    test,
    named: 'expired, and the customer tries',
  },
  {
    rule: 'An order that another method paid is never captured',
    file: core,
    defends: "if (isPaidElsewhere) return review('paid_twice', known);",
    without: '',
    test,
    named: 'paid by another method, then paid here',
  },
  {
    rule: 'An order that was canceled is not captured',
    file: core,
    defends: "if (order.isCanceled) return review('order_canceled', known);",
    without: '',
    test,
    named: 'the order was canceled meanwhile',
  },
  {
    rule: 'An event that is older than an alert does not capture',
    file: core,
    defends: 'payment.settlement_alert || isInDoubt(payment, known)',
    without: 'payment.settlement_alert',
    test,
    named: 'its transfer disappears before',
  },
  {
    rule: 'An event does not say that an alert is over',
    file: core,
    defends: 'asked && payment.settlement_alert === null',
    without: 'payment.settlement_alert === null',
    test,
    named: 'a doubt that is over',
  },
  {
    rule: 'An older state of a payment changes nothing',
    file: core,
    defends: 'if (isOlder(payment, known)) return { steps: [], applied: before };',
    without: '',
    test,
    named: 'in any order and any number of deliveries',
  },
  {
    rule: 'A payment pays the one cart of Medusa that its checkout names',
    file: medusa,
    defends: ' || payment.metadata.medusa_collection !== collection',
    without: '',
    test: medusaTest,
    named: 'for another cart',
  },
  {
    rule: 'A payment of which money goes back pays no cart of Medusa',
    file: medusa,
    defends: "steps.length === 1 && steps[0]?.type === 'capture'",
    without: "steps[0]?.type === 'capture'",
    test: medusaTest,
    named: 'what is on its way back pays for nothing',
  },
  {
    rule: 'What Medusa does not round is paid to the nearest cent',
    file: medusa,
    defends: 'Math.round(Number((units * 100).toPrecision(14)))',
    without: 'Math.floor(units * 100)',
    test: medusaTest,
    named: 'what Medusa does not round',
  },
  {
    rule: 'An event that waited in the queue of Medusa completes its cart',
    file: provider,
    defends: 'toleranceSeconds: 0',
    without: 'toleranceSeconds: 300',
    test: providerTest,
    named: 'an event that waited an hour',
  },
  {
    rule: 'A refund of Medusa whose answer was lost is not begun a second time',
    file: provider,
    defends: '`medusa-refund-${payment}-${price}-${earlier}`',
    without: '`medusa-refund-${own}`',
    test: providerTest,
    named: 'a refund whose answer was lost',
  },
  {
    rule: 'Two refunds of one amount in Medusa are two',
    file: provider,
    defends: 'one.id < own && priceOf(one.amount) === price',
    without: 'one.id < own && one.amount === undefined',
    test: providerTest,
    named: 'a refund whose answer was lost',
  },
  {
    rule: 'A customer of Medusa whose money goes back is not sent to the checkout that they paid',
    file: medusa,
    defends: "type === 'refund' || type === 'close'",
    without: "type === 'close'",
    test: providerTest,
    named: 'a customer whose money goes back',
  },
  {
    rule: 'An order that Vendure deleted is not captured, and a person is asked to refund it',
    file: 'integrations/vendure/src/order.ts',
    defends: "isCanceled: order === null || order.state === 'Cancelled'",
    without: "isCanceled: order?.state === 'Cancelled'",
    test: 'integrations/test/vendure.test.ts',
    named: 'money for an order that Vendure deleted',
  },
  {
    rule: 'A refund of Vendure is asked about until it has ended, however old its order is',
    file: vendureSettle,
    defends: 'row.isOpen = isWaiting || (',
    without: 'row.isOpen = (',
    test: vendureTest,
    named: 'a refund of an old order',
  },
  {
    rule: 'An expired checkout of Vendure is asked about, because it may still be paid',
    file: vendureSettle,
    defends: "payment.status !== 'refunded' && mayBePaid(row)",
    without: '!applied.closed',
    test: vendureTest,
    named: 'paid after it has expired',
  },
  {
    rule: 'Checkouts of Vendure that have expired delay no open one',
    file: 'integrations/vendure/src/ask.ts',
    defends: 'this.#aboutEach(current,',
    without: 'this.#aboutEach(over,',
    test: vendureTest,
    named: 'an open checkout is asked about in each run',
  },
  {
    rule: 'A refund of Vendure is not taken for that of another shop of the account',
    file: 'integrations/vendure/src/handler.ts',
    defends: '`vendure-refund-${payment.metadata.payment}-',
    without: '`vendure-refund-${payment.id}-',
    test: vendureTest,
    named: 'payments of two shops',
  },
  {
    rule: 'A refund of Vendure that was begun and not stored is not stored as failed',
    file: 'integrations/vendure/src/handler.ts',
    defends: "error.code.startsWith('idempotency_')",
    without: "error.code.startsWith('refund_')",
    test: vendureTest,
    named: 'a refund whose answer was lost',
  },
];
