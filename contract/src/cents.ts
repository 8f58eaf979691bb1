/** Decimal strings as whole numbers of their smallest unit, so that sums are exact: `"49.00"` → `4900n`. */
export function cents(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Whole cents as a decimal string: `4900n` → `"49.00"`. */
export function fromCents(minor: bigint): string {
  const sign = minor < 0 ? '-' : '';
  const digits = String(minor).replace('-', '').padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
