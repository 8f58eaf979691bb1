import { expect, test } from 'vitest';
import { undecided } from './undecided.ts';

test('a payment whose refund waits to be confirmed is listed once, by its refund', () => {
  const payments = [{ id: 'pay_short' }, { id: 'pay_late' }];
  expect(undecided(payments, [{ payment: 'pay_late' }, { payment: 'pay_paid' }])).toEqual([{ id: 'pay_short' }]);
  expect(undecided(payments, [])).toEqual(payments);
});
