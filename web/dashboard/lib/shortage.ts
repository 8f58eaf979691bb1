import { fromCents, toCents } from '@quittance/contract/cents';
import type { PaymentJson } from './types.ts';

const MAX_UNNAMED_CENTS = BigInt(100);

/**
 * What is missing from a payment that was accepted or waits for a decision, in its currency. Null up to 1.00 if that is at
 * most one percent, so that a tolerated shortage is not named.
 */
export function shortageOf({
  status,
  amount,
  net_settlement: due,
  received_amount: received,
}: Pick<PaymentJson, 'status' | 'amount' | 'net_settlement' | 'received_amount'>): string | null {
  if (received === null || (status !== 'paid' && status !== 'refund_required')) return null;
  const missing = toCents(due) - toCents(received);
  const isNamed = missing > MAX_UNNAMED_CENTS || missing * BigInt(100) > toCents(amount);
  return isNamed ? fromCents(missing) : null;
}
