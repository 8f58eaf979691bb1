/** The least and the largest display amount. They are the limits of an open amount that names none. */
export const LEAST_AMOUNT = '0.01';
export const LARGEST_AMOUNT = '999999999.99';

/** An amount as a whole number of its last decimal, to compare amounts with equally many: `"49.00"` → `4900n`. */
export function toCents(displayAmount: string): bigint {
  return BigInt(displayAmount.replace('.', ''));
}

/** Whole cents as a decimal string: `4900n` → `"49.00"`. */
export function fromCents(cents: bigint): string {
  const sign = cents < 0 ? '-' : '';
  const digits = String(cents).replace('-', '').padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
