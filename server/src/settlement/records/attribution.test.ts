import { PAYMENT_STATUSES } from '@quittance/contract';
import { expect, test } from 'vitest';
import { refusalOf } from './attribution.ts';

test('money for a payment that takes no more has a reason in every such state', () => {
  expect(
    Object.fromEntries(PAYMENT_STATUSES.map((status) => [status, [refusalOf(status), refusalOf(status, true)]])),
  ).toEqual({
    created: [undefined, undefined],
    pending: [undefined, undefined],
    routing: ['other_asset', undefined],
    settling: ['other_asset', undefined],
    paid: ['already_paid', 'already_paid'],
    failed: [undefined, undefined],
    expired: [undefined, undefined],
    refund_required: [undefined, undefined],
    refunded: ['already_refunded', 'already_refunded'],
  });
});
