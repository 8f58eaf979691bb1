import { toCents, fromCents } from './cents.ts';

interface Settled {
  status: string;
  net_settlement: string;
  expected_output: string | null;
  actual_output: string | null;
  refund: { amount: string } | null;
  /** Also of parts, which do not make it refunded. */
  refunded_amount?: string;
}

/**
 * What a payment brought in the display currency: the share of `net_settlement` that arrived, less what was refunded.
 * Null until it is paid, because nothing can be called net before.
 */
export function settledNet(payment: Settled): string | null {
  const { net_settlement: net, expected_output: expected, actual_output: actual } = payment;
  if (!isSettled(payment) || actual === null || expected === null || toCents(expected) === BigInt(0)) return null;
  // Both amounts of the pair have the same decimals, so they compare as whole numbers.
  const arrived = (toCents(net) * toCents(actual)) / toCents(expected);
  return fromCents(arrived - toCents(payment.refunded_amount ?? payment.refund?.amount ?? '0.00'));
}

/** The service fee of a payment. Null until it is paid, because nothing was charged before. */
export function settledFee(
  payment: Pick<Settled, 'status' | 'actual_output'> & { service_fee: string },
): string | null {
  const { status, actual_output: actual, service_fee: fee } = payment;
  return status === 'paid' || (isSettled(payment) && actual !== null) ? fee : null;
}

function isSettled({ status }: Pick<Settled, 'status'>): boolean {
  return status === 'paid' || status === 'refunded';
}
