import { expect, test } from 'vitest';
import { holderOf } from './money.ts';

const open = { status: 'pending', actualOutputUnits: null } as const;
const decide = { status: 'refund_required', actualOutputUnits: null } as const;
const order = (
  state: 'waiting' | 'seen' | 'stuck' | 'returned' | 'dead' | 'done',
  depositedUnits: bigint | null = null,
) => ({
  state,
  depositedUnits,
});

test.each([
  ['none before anything came', open, undefined, 0n, 'none'],
  ['the merchant once a transfer is in sight', open, undefined, 12n, 'merchant'],
  [
    'the merchant where the payout arrived short',
    { ...decide, actualOutputUnits: 9n },
    order('done', 10n),
    0n,
    'merchant',
  ],
  ['none while a deposit is only announced', open, order('seen'), 0n, 'none'],
  ['the provider from the deposit on', open, order('seen', 10n), 0n, 'provider'],
  ['the provider until its payout arrives', open, order('done', 10n), 0n, 'provider'],
  ['the provider where the conversion is stuck', decide, order('stuck'), 0n, 'provider'],
  ['the provider where the order died with the deposit', decide, order('dead'), 0n, 'provider'],
  ['none where an order died unpaid', { status: 'expired', actualOutputUnits: null }, order('dead'), 0n, 'none'],
  [
    'the customer once it was returned',
    { status: 'failed', actualOutputUnits: null },
    order('returned', 10n),
    0n,
    'customer',
  ],
  ['none once a refund is recorded', { status: 'refunded', actualOutputUnits: 9n }, order('stuck'), 0n, 'none'],
] as const)('the money is held by %s', (_name, payment, one, detected, holder) => {
  expect(holderOf(payment, one, detected)).toBe(holder);
});
