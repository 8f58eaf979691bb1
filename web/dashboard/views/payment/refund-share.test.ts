import { expect, test } from 'vitest';
import { begunOf, isAllClaimed, refundShare } from './refund-share.ts';

const order = { amount: '25.00', expected_output: '25.000000', actual_output: '12.500000' };

test.each([
  ['what was sent, of what was due', order, '12.5', '12.50'],
  ['what arrived, if it is not known what was sent', order, null, '12.50'],
  ['what arrived, if what was sent cannot be read', order, '12,5', '12.50'],
  ['a part of what arrived', order, '5', '5.00'],
  ['at most the order, if more arrived', { ...order, actual_output: '40.000000' }, null, '25.00'],
  ['the nearest cent of an amount with a suffix', { ...order, expected_output: '25.000123' }, '12.5', '12.50'],
  ['a whole order with a suffix', { ...order, expected_output: '25.000123' }, '25.000123', '25.00'],
  ['a coin of another price', { ...order, expected_output: '0.010000000000000001' }, '0.005', '12.50'],
  [
    'an amount beyond floats',
    { ...order, amount: '90071992547409931.02', expected_output: '90071992547409931.020000' },
    '90071992547409931.01',
    '90071992547409931.01',
  ],
  ['the whole order, if nothing arrived', { ...order, actual_output: null }, null, '25.00'],
  ['the whole order, if nothing but zeros arrived', { ...order, actual_output: '0.000000' }, null, '25.00'],
  ['the whole order, if it is not known what was due', { ...order, expected_output: null }, '5', '25.00'],
])('a refund is prefilled with %s', (_what, payment, sent, share) => {
  expect(refundShare(payment, sent)).toBe(share);
});

test('money is claimed by refunds that may yet happen or have happened, and begun are those that have not', () => {
  const refund = (status: 'requested' | 'planned' | 'sent' | 'final' | 'failed' | 'cancelled', units: string) =>
    ({ status, amount: units.slice(0, -4), coin_amount: units }) as const;
  const open = [refund('requested', '1.000000'), refund('planned', '2.000000'), refund('sent', '3.000000')];
  const over = [refund('failed', '6.500000'), refund('cancelled', '6.500000')];
  expect(begunOf([...open, ...over, refund('final', '6.000000')])).toBe('6.00');
  expect(begunOf([...over, refund('final', '6.000000')])).toBeNull();
  expect(isAllClaimed(order, [...open, ...over, refund('final', '6.499999')])).toBe(false);
  expect(isAllClaimed(order, [...open, refund('final', '6.500000')])).toBe(true);
  for (const actual_output of [null, '0.000000']) expect(isAllClaimed({ actual_output }, over)).toBe(false);
});
