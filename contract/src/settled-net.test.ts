import { expect, test } from 'vitest';
import { settledFee, settledNet } from './settled-net.ts';

const paid = {
  status: 'paid',
  net_settlement: '25.00',
  expected_output: '25.000000',
  actual_output: '25.001245',
  refund: null,
};

test.each([
  ['paid in full', {}, '25.00'],
  ['accepted although half arrived', { actual_output: '12.500000' }, '12.50'],
  ['overpaid', { actual_output: '30.000000' }, '30.00'],
  ['overpaid, and the surplus was returned', { actual_output: '30.000000', refunded_amount: '5.00' }, '25.00'],
  ['underpaid and undecided', { status: 'refund_required', actual_output: '12.500000' }, null],
  ['pending', { status: 'pending', actual_output: null }, null],
  ['refunded in part', { status: 'refunded', refund: { amount: '10.00' } }, '15.00'],
  [
    'refunded with the fee on top',
    { status: 'refunded', net_settlement: '24.63', refund: { amount: '25.00' } },
    '-0.37',
  ],
  ['resolved without money', { status: 'refunded', actual_output: null, refund: { amount: '25.00' } }, null],
])('what a payment brought when it was %s', (_name, change, net) => {
  expect(settledNet({ ...paid, ...change })).toBe(net);
});

test.each([
  ['paid', {}, '0.37'],
  ['refunded after it was paid', { status: 'refunded' }, '0.37'],
  ['open', { status: 'routing', actual_output: null }, null],
  ['underpaid and undecided', { status: 'refund_required', actual_output: '12.500000' }, null],
  ['expired', { status: 'expired', actual_output: null }, null],
  ['resolved without money', { status: 'refunded', actual_output: null }, null],
])('the service fee of a payment that is %s', (_name, change, fee) => {
  expect(settledFee({ ...paid, service_fee: '0.37', ...change })).toBe(fee);
});
