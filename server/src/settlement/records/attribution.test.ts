import { PAYMENT_STATUSES } from '@quittance/contract';
import { expect, test } from 'vitest';
import { refusalOf } from './attribution.ts';

test('money for a payment that takes no more has a reason in every such state', () => {
  expect(Object.fromEntries(PAYMENT_STATUSES.map((status) => [status, refusalOf(status)]))).toEqual({
    created: undefined,
    pending: undefined,
    routing: undefined,
    settling: undefined,
    paid: 'already_paid',
    failed: undefined,
    expired: undefined,
    refund_required: undefined,
    refunded: 'already_refunded',
  });
});
