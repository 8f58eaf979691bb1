import type { ErrorCode } from '@quittance/contract';
import { fail } from '../../platform/errors.ts';

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[ +-]\d{2}:?\d{2})?)?$/;

/** An ISO 8601 date or instant; without an offset it is UTC. Fractions of a millisecond are rounded up. */
export function readInstant(text: string, param: string, code: ErrorCode = 'invalid_list_request'): Date {
  return (
    parse(text) ??
    fail(code, {
      param,
      message: `\`${param}\` must be a valid date or time, such as 2026-03-01T00:00:00Z.`,
    })
  );
}

function parse(text: string): Date | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;

  const date = new Date(0);
  // Date.UTC() would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second), Math.ceil(Number(fraction.padEnd(9, '0')) / 1e6));
  const exists =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysIn(Number(year), Number(month)) &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59;
  const offset = offsetMinutes(zone);
  if (!exists || offset === undefined) return undefined;
  const instant = new Date(date.getTime() - offset * 60_000);
  // PostgreSQL has no year 0, and RFC 3339 none of five digits.
  return instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999 ? instant : undefined;
}

function daysIn(year: number, month: number): number {
  const first = new Date(0);
  first.setUTCFullYear(year, month, 0);
  return first.getUTCDate();
}

function offsetMinutes(zone: string): number | undefined {
  if (/^[Zz]$/.test(zone)) return 0;
  const [, sign, hours, minutes] = /^([ +-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
