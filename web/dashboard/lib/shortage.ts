import { fromCents, toCents } from '@quittance/contract/cents';
import type { PaymentJson } from './types.ts';

const CENT_LIMIT = BigInt(100);

/**
 * What is missing from a payment that is over or waits for a decision, in its currency: an accepted one is paid like
 * any other. Null for what tolerances usually cover, up to one percent and 1.00.
 */
export function shortageOf({
  status,
  amount,
  net_settlement: due,
  received_amount: received,
}: Pick<PaymentJson, 'status' | 'amount' | 'net_settlement' | 'received_amount'>): string | null {
  if (received === null || (status !== 'paid' && status !== 'refund_required')) return null;
  const missing = toCents(due) - toCents(received);
  const isNamed = missing > CENT_LIMIT || missing * BigInt(100) > toCents(amount);
  return isNamed ? fromCents(missing) : null;
}
