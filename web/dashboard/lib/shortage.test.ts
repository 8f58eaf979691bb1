import { expect, test } from 'vitest';
import { shortageOf } from './shortage.ts';

const PAID = { status: 'paid', amount: '31.00', net_settlement: '31.00', received_amount: '31.00' } as const;

test.each([
  [{ received_amount: '15.50' }, '15.50'],
  [{ received_amount: '15.50', status: 'refund_required' }, '15.50'],
  [{ received_amount: '30.68' }, '0.32'],
  [{ amount: '500.00', net_settlement: '500.00', received_amount: '498.99' }, '1.01'],
  [{ net_settlement: '30.53', received_amount: '15.26' }, '15.27'],
  [{}, null],
  [{ received_amount: '30.70' }, null],
  [{ received_amount: '34.10' }, null],
  [{ received_amount: null, status: 'refund_required' }, null],
  [{ received_amount: '15.50', status: 'pending' }, null],
  [{ received_amount: '15.50', status: 'refunded' }, null],
] as const)('of a payment with %o, %s is missing', (said, missing) => {
  expect(shortageOf({ ...PAID, ...said })).toBe(missing);
});
