import { expect, test } from 'vitest';
import { type Due, isPaidBy, type Answer, roundedOf } from '../medusa/src/due.ts';
import { PAYMENT } from '../src/cases.ts';

const DUE: Due = { collection: 'pay_col_1', amount: '49.00', currency: 'USD', livemode: true };
const PAID: Answer['payment'] = { ...PAYMENT, status: 'paid', metadata: { medusa_collection: 'pay_col_1' } };

const isPaid = (payment: Partial<Answer['payment']>, refunds: Answer['refunds'] = []) =>
  isPaidBy(DUE, { payment: { ...PAID, ...payment }, refunds });

test.each([
  ['in full', {}, true],
  ['by an earlier checkout of the cart, or the next try', { session: 'cs_2' }, true],
  ['for another cart', { metadata: { medusa_collection: 'pay_col_2' } }, false],
  ['by another program of the account', { metadata: {} }, false],
  ['without a checkout', { session: null }, false],
  ['before the cart was changed', { amount: '1.00' }, false],
  ['in another currency', { currency: 'EUR' }, false],
  ['in test mode', { livemode: false }, false],
  ['not yet', { status: 'pending' }, false],
  ['too little', { status: 'refund_required', failure_reason: 'underpaid' }, false],
  ['in doubt', { settlement_alert: {} }, false],
  ['and returned', { status: 'refunded', refunded_amount: '49.00' }, false],
])('a cart of Medusa is paid: %s', (_, payment, expected) => {
  expect(isPaid(payment)).toBe(expected);
});

test.each([
  ['nothing', [], true],
  ['all of it', [{ amount: '49.00', status: 'requested' }], false],
  ['a part', [{ amount: '10.00', status: 'sent' }], false],
  [
    'nothing any more',
    [
      { amount: '49.00', status: 'cancelled' },
      { amount: '49.00', status: 'failed' },
    ],
    true,
  ],
])('what is on its way back pays for nothing: %s', (_, refunds, expected) => {
  expect(isPaid({}, refunds)).toBe(expected);
});

test('a surplus that goes back does not count as a refund of the cart', () => {
  expect(isPaid({ surplus: '11.00' }, [{ amount: '11.00', status: 'final' }])).toBe(true);
  expect(isPaid({ surplus: '11.00' }, [{ amount: '11.01', status: 'planned' }])).toBe(false);
});

test.each([
  ['a tax of 10.75 %', 24.99 * 1.1075 + 6.44, '34.12'],
  ['a coupon of 10 %', 24.99 * 0.9, '22.49'],
  ['whole cents that binary numbers do not hold', 19.99 * 3, '59.97'],
  ['half a cent', 1.005, '1.01'],
  ['the largest price', 999_999_999.99, '999999999.99'],
  ['a whole number', 49, '49.00'],
])('what Medusa does not round is paid to the nearest cent: %s', (_, units, price) => {
  expect(roundedOf(units)).toBe(price);
});
