import { toCents } from '@quittance/contract/cents';
import type { MoneyJson, PaymentJson } from './types.ts';

/** Part of the money, or all of it, which only has to become final. */
export type Arrival = 'part' | 'whole';

/** What was seen for a direct payment that is pending; undefined if nothing was. */
export function arrivalOf(
  payment: Pick<PaymentJson, 'status' | 'route' | 'expected_output'>,
  where: Pick<MoneyJson, 'detected'> | undefined,
): Arrival | undefined {
  if (payment.status !== 'pending' || payment.route !== 'direct' || !/[1-9]/.test(where?.detected ?? '')) return;
  const { expected_output: due } = payment;
  // Both have the decimals of the coin, so they compare as whole numbers.
  return due !== null && toCents(where?.detected ?? '0') >= toCents(due) ? 'whole' : 'part';
}
