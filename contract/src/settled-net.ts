interface Settled {
  status: string;
  net_settlement: string;
  expected_output: string | null;
  actual_output: string | null;
  refund: { amount: string } | null;
}

/**
 * What a payment brought in the display currency: the share of `net_settlement` that arrived, less a recorded refund.
 * Null until it is paid, because nothing can be called net before.
 */
export function settledNet(payment: Settled): string | null {
  const { status, net_settlement: net, expected_output: expected, actual_output: actual, refund } = payment;
  const isSettled = status === 'paid' || status === 'refunded';
  if (!isSettled || actual === null || expected === null || units(expected) === BigInt(0)) return null;
  const arrived = (units(net) * units(actual)) / units(expected);
  return decimal(arrived - (refund ? units(refund.amount) : BigInt(0)));
}

// Both amounts of a pair have the same decimals, so they compare as whole numbers.
function units(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

function decimal(cents: bigint): string {
  const sign = cents < 0 ? '-' : '';
  const digits = String(cents).replace('-', '').padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
