import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVectors } from '../../scripts/vectors.ts';
import { CASES, PAYMENT } from '../src/cases.ts';
import { decide, fromMinor, type PaymentFacts, refundOf, type ShopOrder, toMinor } from '../src/core.ts';

/** A shop in memory: applies the steps, and keeps what happened. */
function shop(order: Partial<ShopOrder> = {}) {
  const now: ShopOrder = {
    amount: '49.00',
    currency: 'USD',
    livemode: true,
    paidBy: null,
    sessions: { cs_1: null },
    ...order,
  };
  const done = { captured: 0n, refunded: 0n, closed: false, reviews: [] as string[] };
  return {
    now,
    done,
    take(payment: PaymentFacts, options?: { asked: boolean }) {
      const { steps, applied } = decide(now, payment, options);
      for (const step of steps) {
        if (step.type === 'capture') {
          done.captured += toMinor(step.amount);
          now.paidBy = payment.session;
        }
        if (step.type === 'refund') done.refunded += toMinor(step.amount);
        if (step.type === 'close') done.closed = true;
        if (step.type === 'review') done.reviews.push(step.why);
      }
      if (applied && payment.session) now.sessions = { ...now.sessions, [payment.session]: applied };
      return steps;
    },
  };
}

test.each(CASES)('$name', ({ arrives, paidBy = null, total = '49.00', isCanceled = false, expect: expected }) => {
  const one = shop({ paidBy, amount: total, isCanceled });
  for (const changes of arrives) one.take({ ...PAYMENT, ...changes });
  const { captured, refunded, closed, reviews } = one.done;
  expect({ captured: fromMinor(captured), refunded: fromMinor(refunded), closed, reviews }).toEqual(expected);
  // What was stored is plain data.
  expect(JSON.parse(JSON.stringify(one.now))).toEqual(one.now);
});

test('of five sessions two are paid: exactly two orders move', () => {
  const orders = [1, 2, 3, 4, 5].map((at) => shop({ sessions: { [`cs_${at}`]: null } }));
  for (const session of ['cs_2', 'cs_5'])
    for (const order of orders) order.take({ ...PAYMENT, session, status: 'paid', sequence: 3 });
  expect(orders.map(({ done }) => done.captured)).toEqual([0n, 4_900n, 0n, 0n, 4_900n]);
});

test('a session that expires does not close an order that another session of it may still pay', () => {
  const order = shop({ sessions: { cs_1: null, cs_2: null } });
  expect(order.take({ ...PAYMENT, status: 'expired', sequence: 2 })).toEqual([]);
  expect(order.take({ ...PAYMENT, session: 'cs_2', status: 'paid', sequence: 2 })).toMatchObject([{ type: 'capture' }]);
  const abandoned = shop({ sessions: { cs_1: null, cs_2: null } });
  expect(abandoned.take({ ...PAYMENT, status: 'expired', sequence: 2 })).toEqual([]);
  expect(abandoned.take({ ...PAYMENT, session: 'cs_2', status: 'expired', sequence: 2 })).toEqual([{ type: 'close' }]);
});

test.each([
  ['49.00', '0.00', '48.26', '48.26'],
  ['24.50', '0.00', '48.26', '24.50'],
  ['24.50', '24.50', '48.26', '23.76'],
  ['24.51', '24.50', '48.26', '23.77'],
  ['0.50', '48.50', '48.26', '0.50'],
  ['49.00', '0.00', null, '48.26'],
  ['49.00', '0.00', '49.00', '49.00'],
  ['49.00', '0.00', '60.00', '49.00'],
])(
  'of a refund of %s after %s, where %s arrived, the customer gets %s',
  (asked, earlier, received_amount, expected) => {
    const payment = { amount: '49.00', net_settlement: '48.26', received_amount };
    expect(refundOf(payment, { asked, earlier })).toBe(expected);
  },
);

test('the currency of a shop may be in small letters', () => {
  expect(shop({ currency: 'usd' }).take({ ...PAYMENT, status: 'paid', sequence: 3 })).toMatchObject([
    { type: 'capture' },
  ]);
});

test('an order that is made smaller after it was paid is refunded by what was returned of the payment', () => {
  const order = shop();
  order.take({ ...PAYMENT, status: 'paid', sequence: 3 });
  order.now.amount = '30.00';
  order.take({ ...PAYMENT, status: 'paid', sequence: 3, refunded_amount: '19.00' });
  order.take({ ...PAYMENT, status: 'refunded', sequence: 4, refunded_amount: '49.00' });
  expect(order.done).toMatchObject({ captured: 4_900n, refunded: 4_900n });
});

test('both sessions of an order are paid: it is captured once, and a person looks at the second', () => {
  const order = shop({ sessions: { cs_1: null, cs_2: null } });
  order.take({ ...PAYMENT, status: 'paid', sequence: 3 });
  order.take({ ...PAYMENT, session: 'cs_2', status: 'paid', sequence: 3 });
  order.take({ ...PAYMENT, session: 'cs_2', status: 'refunded', sequence: 4, refunded_amount: '49.00' });
  expect(order.done).toEqual({ captured: 4_900n, refunded: 0n, closed: false, reviews: ['paid_twice'] });
});

test('a doubt that is over is captured when the shop asks, and the next one is reviewed again', () => {
  const order = shop();
  const paid = { ...PAYMENT, status: 'paid', sequence: 3 };
  const doubtful = { ...paid, settlement_alert: {} };
  for (const payment of [doubtful, doubtful, paid]) order.take(payment);
  expect(order.done).toMatchObject({ captured: 0n, reviews: ['settlement_alert'] });
  expect(order.take(paid, { asked: true })).toEqual([{ type: 'capture', amount: '49.00' }]);
  for (const payment of [doubtful, doubtful]) order.take(payment, { asked: true });
  expect(order.done).toMatchObject({ captured: 4_900n, reviews: ['settlement_alert', 'settlement_alert'] });
});

test('in any order and any number of deliveries: captured at most once, never more returned than was captured', () => {
  const states = fc.constantFrom('created', 'pending', 'paid', 'expired', 'failed', 'refund_required', 'refunded');
  const payment = fc.record({
    status: states,
    sequence: fc.integer({ min: 1, max: 9 }),
    refunded_amount: fc.integer({ min: 0, max: 8_000 }).map(fromMinor),
    surplus: fc.integer({ min: 0, max: 500 }).map(fromMinor),
  });
  fc.assert(
    fc.property(fc.array(payment, { maxLength: 12 }), (arrives) => {
      const one = shop();
      let newest = 0;
      for (const changes of arrives) {
        const steps = one.take({ ...PAYMENT, ...changes });
        if (changes.sequence < newest) expect(steps).toEqual([]);
        newest = Math.max(newest, changes.sequence);
      }
      expect([0n, 4_900n]).toContain(one.done.captured);
      expect(one.done.refunded).toBeLessThanOrEqual(one.done.captured);
    }),
  );
});

test('amounts are read and written as the vectors say', () => {
  const { accepted, refused, written } = readVectors('money');
  for (const { text, minor } of accepted) expect(toMinor(text)).toBe(BigInt(minor));
  for (const text of refused) expect(() => toMinor(text)).toThrow(TypeError);
  for (const { text, minor } of written) expect(fromMinor(BigInt(minor))).toBe(text);
  for (const wrong of [1.5, -1, Number.NaN, 2 ** 53]) expect(() => fromMinor(wrong)).toThrow(TypeError);
});
