import { toCents, fromCents } from '@quittance/contract/cents';
import type { PaymentJson, RefundJson } from '../../lib/types.ts';

const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * The part of the order that a refund returns: the share of what was sent, or else of what arrived, in what was due. Rounded
 * to the nearest cent, because exact amounts are a little more than the order. The whole order if nothing arrived.
 */
export function refundShare(
  {
    amount,
    expected_output: due,
    actual_output: arrived,
  }: Pick<PaymentJson, 'amount' | 'expected_output' | 'actual_output'>,
  sent: string | null,
): string {
  const part = sent !== null && DECIMAL.test(sent) ? sent : arrived;
  if (part === null || due === null || !/[1-9]/.test(part) || !/[1-9]/.test(due)) return amount;
  const decimals = Math.max(decimalsOf(part), decimalsOf(due));
  const whole = unitsOf(due, decimals);
  const two = BigInt(2);
  const share = (toCents(amount) * unitsOf(part, decimals) * two + whole) / (whole * two);
  return share < toCents(amount) ? fromCents(share) : amount;
}

/** Whether refunds that may yet happen, or have happened, take all that arrived. */
export function isAllClaimed(
  { actual_output: arrived }: Pick<PaymentJson, 'actual_output'>,
  refunds: readonly Pick<RefundJson, 'status' | 'coin_amount'>[],
): boolean {
  if (arrived === null) return false;
  const decimals = decimalsOf(arrived);
  const claiming = refunds.filter(({ status }) => status !== 'failed' && status !== 'cancelled');
  const claimed = claiming.reduce((sum, { coin_amount: amount }) => sum + unitsOf(amount, decimals), BigInt(0));
  return claimed > BigInt(0) && claimed >= unitsOf(arrived, decimals);
}

/** What refunds that are planned, asked for or on their way add up to in the display currency; null without any. */
export function begunOf(refunds: readonly Pick<RefundJson, 'status' | 'amount'>[]): string | null {
  const begun = refunds.filter(({ status }) => status === 'requested' || status === 'planned' || status === 'sent');
  return begun.length === 0 ? null : fromCents(begun.reduce((sum, { amount }) => sum + toCents(amount), BigInt(0)));
}

export function decimalsOf(decimal: string): number {
  return (decimal.split('.')[1] ?? '').length;
}

export function unitsOf(decimal: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
