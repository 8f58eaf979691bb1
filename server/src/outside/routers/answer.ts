import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { exchangeJson, type JsonAnswer, type JsonRequest } from '../http/json.ts';

/** Real responses nest about 12 levels deep and have about 300 values. */
const MAX_ANSWER_DEPTH = 32;
const MAX_ANSWER_VALUES = 20_000;
const MAX_TEXT_LENGTH = 100_000;
/** A trillion whole coins of 18 decimals, with a margin. */
const MAX_UNITS_DIGITS = 36;

const UNITS = new RegExp(`^[0-9]{1,${MAX_UNITS_DIGITS}}$`);
const DECIMAL = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

/** A provider may add days to the requested deadline. Amounts stay reserved that long. */
const MAX_EXTRA_DEADLINE_MS = 14 * DAY_MS;

/**
 * One exchange with a route provider. A response that could not be stored or hashed is rejected before it is parsed.
 */
export async function askRouteProvider(url: string, request: JsonRequest): Promise<JsonAnswer> {
  const answer = await exchangeJson(url, request);
  requirePlain(answer.body);
  return answer;
}

/** Turns every unexpected error inside a reader into a provider failure, so that no response shape causes a 500. */
export function readAnswer<T>(provider: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PermanentError || error instanceof TemporaryError) throw error;
    throw new PermanentError(`${provider} returned an unreadable response`, { cause: error });
  }
}

/**
 * Rejects values that PostgreSQL, JSON.stringify or a log could not handle. Iterative, because deep nesting is an
 * attack.
 */
export function requirePlain(body: unknown): void {
  let level: unknown[] = [body];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > MAX_ANSWER_DEPTH) throw new PermanentError('the answer is nested too deeply');
    if (values > MAX_ANSWER_VALUES) throw new PermanentError('the answer holds too many values');
    const inner: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') requirePlainText(value);
      else if (typeof value === 'number' && !Number.isFinite(value))
        throw new PermanentError('the answer holds a number that is out of range');
      else if (Array.isArray(value)) for (const item of value) inner.push(item);
      else if (typeof value === 'object' && value !== null) {
        for (const [key, item] of Object.entries(value)) {
          requirePlainText(key);
          inner.push(item);
        }
      }
    }
    level = inner;
  }
}

function requirePlainText(text: string): void {
  if (text.length > MAX_TEXT_LENGTH) throw new PermanentError('the answer holds a text that is too long');
  if (text.includes('\u0000') || !text.isWellFormed())
    throw new PermanentError('the answer holds a text that is not Unicode');
}

/** A member of a response whose shape is not guaranteed. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string | number, unknown>)[name];
  }
  return here;
}

/** Base units in a provider's response; undefined for anything else. */
export function toUnits(value: unknown): bigint | undefined {
  return typeof value === 'string' && UNITS.test(value) ? BigInt(value) : undefined;
}

/** Base units above zero. */
export function readUnits(value: unknown, what: string): bigint {
  const units = toUnits(value);
  if (units === undefined || units === 0n)
    throw new PermanentError(`the ${what} is not a positive whole number of at most ${MAX_UNITS_DIGITS} digits`);
  return units;
}

export function readText(value: unknown, what: string, maxLength: number): string {
  if (typeof value !== 'string' || value === '' || value.length > maxLength)
    throw new PermanentError(`the ${what} is not a text of 1 to ${maxLength} characters`);
  return value;
}

/** Compares a repeated field with the request: hex case-insensitively, everything else exactly. */
export function requireSame(what: string, answered: unknown, sent: string | number | boolean): void {
  const isHex = typeof sent === 'string' && sent.startsWith('0x') && typeof answered === 'string';
  const isSame = isHex ? answered.toLowerCase() === sent.toLowerCase() : answered === sent;
  if (!isSame) throw new PermanentError(`the answer is for another ${what}`);
}

/** Whether an optional field is left out. Providers omit the field, or send null or an empty value. */
export function isAbsent(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

/** Checks a repeated amount in whole coins, if present. Providers may round its last digits. */
export function requireFormatted(what: string, value: unknown, units: bigint, decimals: number): void {
  if (value === undefined || value === null) return;
  const written = toBaseUnits(value, decimals);
  const difference = written === undefined || written < units ? units - (written ?? 0n) : written - units;
  if (difference * 1_000_000n > units)
    throw new PermanentError(`the ${what} in whole coins is another amount than in base units`);
}

/** A value in millionths of a dollar, if present. Never used as the only check. */
export function readUsd(what: string, value: unknown): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  const worth = toBaseUnits(value, 6);
  if (worth === undefined) throw new PermanentError(`the ${what} in dollars is not a decimal number`);
  return worth;
}

/** A decimal text in units of 10^-decimals, truncated; undefined for anything else. */
function toBaseUnits(value: unknown, decimals: number): bigint | undefined {
  const match = typeof value === 'string' ? DECIMAL.exec(value) : null;
  if (!match) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** Compares a deadline of a quote with the one that was asked for: money that comes until then must still be converted. */
export function requireDeadline(what: string, deadline: Date, asked: Date): void {
  if (deadline < asked) throw new PermanentError(`the ${what} ends before the requested deadline`);
  if (deadline > later(asked, MAX_EXTRA_DEADLINE_MS))
    throw new PermanentError(`the ${what} ends too long after the requested deadline`);
}

const HASH = /^[0-9A-Za-z]{32,100}$/;
/** A payout is one transaction, or a few. Further hashes are ignored. */
const MAX_HASHES = 10;

/** Transaction hashes from a provider in the form in which chains are read: hex in lowercase, without duplicates. */
export function payoutHashes(named: readonly unknown[]): string[] {
  const hashes = named.filter((hash): hash is string => typeof hash === 'string' && HASH.test(hash));
  return [...new Set(hashes.map((hash) => (/^0x/i.test(hash) ? hash.toLowerCase() : hash)))].slice(0, MAX_HASHES);
}
