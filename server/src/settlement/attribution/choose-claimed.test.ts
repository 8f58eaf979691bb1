import { expect, test } from 'vitest';
import { chooseClaimed, type Sibling } from './choose-claimed.ts';

const lacks = (paymentId: string, units: bigint | null) => ({ paymentId, dueUnits: units, enoughUnits: units });
const free = (amountUnits: bigint): Sibling => ({ amountUnits, paymentId: null, isCounted: false });
const counted = (amountUnits: bigint, paymentId: string): Sibling => ({ amountUnits, paymentId, isCounted: true });
const awaited = (amountUnits: bigint, paymentId: string): Sibling => ({ amountUnits, paymentId, isCounted: false });

test.each([
  ['the only claimed payment, even far too much', 90n, [lacks('a', 20n)], [], 'a'],
  ['the payment of the same amount, not the first', 10n, [lacks('a', 20n), lacks('b', 10n)], [], 'b'],
  ['the first payment among equal ones', 10n, [lacks('a', 10n), lacks('b', 10n)], [], 'a'],
  ['the second payment once the first has as much', 10n, [lacks('a', 0n), lacks('b', 10n)], [counted(10n, 'a')], 'b'],
  ['no payment while another transfer is the exact amount', 10n, [lacks('a', 20n)], [free(20n)], undefined],
  ['no payment that has enough of the transaction', 10n, [lacks('a', 0n)], [counted(20n, 'a')], undefined],
  ['a payment that has enough from elsewhere', 10n, [lacks('a', 0n)], [], 'a'],
  ['a payment that needs both transfers', 10n, [lacks('a', 30n)], [free(20n)], 'a'],
  ['no payment whose exact amount is queued', 10n, [lacks('a', 20n)], [awaited(20n, 'a')], undefined],
  ['a payment beside the queued amount of another', 19n, [lacks('a', 20n)], [awaited(20n, 'c')], 'a'],
  ['a payment without a price, however much it has', 10n, [lacks('a', null)], [counted(20n, 'a')], 'a'],
  ['a payment with a price before one without', 10n, [lacks('a', null), lacks('b', 20n)], [], 'b'],
])('a claimed transfer belongs to %s', (_, units, claimed, siblings, expected) => {
  expect(chooseClaimed(units, claimed, siblings)?.paymentId).toBe(expected);
});

test('a payment that the merchant accepts with less than is due takes nothing beyond', () => {
  const claimed = [{ paymentId: 'a', dueUnits: 20_005n, enoughUnits: 19_900n }];
  expect(chooseClaimed(10_000n, claimed, [free(20_000n)])).toBeUndefined();
});
