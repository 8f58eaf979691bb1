import { invariant } from './errors.ts';

const DISPLAY_AMOUNT = /^(0|[1-9][0-9]{0,8})(\.[0-9]{1,2})?$/;

/**
 * A display amount in minor units (cents), or undefined if the text is not one: 0.01 to 999999999.99, at most two
 * decimals.
 */
export function parseDisplayAmount(text: string): bigint | undefined {
  if (!DISPLAY_AMOUNT.test(text)) return undefined;
  const minor = parseUnits(text, 2);
  return minor > 0n ? minor : undefined;
}

/** Minor units as a display amount with exactly two decimals: `4900n` → `"49.00"`. */
export function formatDisplayAmount(minor: bigint): string {
  return formatUnits(minor, 2);
}

/** Base units as a decimal string with all of the asset's decimals: `(48260000n, 6)` → `"48.260000"`. */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A plain decimal string as base units. Exact, so more decimals than the asset has are rejected. */
export function parseUnits(text: string, decimals: number): bigint {
  const match = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  invariant(match, `not a plain decimal: ${text}`);
  const [, whole = '0', fraction = ''] = match;
  invariant(fraction.length <= decimals, `more than ${decimals} decimals: ${text}`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** a × b ÷ c, rounded up: what a payer owes. */
export function mulDivUp(a: bigint, b: bigint, c: bigint): bigint {
  return (a * b + c - 1n) / c;
}

/** a × b ÷ c, rounded down: what is promised to a merchant. */
export function mulDivDown(a: bigint, b: bigint, c: bigint): bigint {
  return (a * b) / c;
}

/** a × b ÷ c, half rounded up: fees. */
export function mulDivHalfUp(a: bigint, b: bigint, c: bigint): bigint {
  return (2n * a * b + c) / (2n * c);
}
