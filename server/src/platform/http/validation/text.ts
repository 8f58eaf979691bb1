import type { ErrorCode } from '@quittance/contract';
import { cutText } from '@quittance/contract/readable-text';
import { ApiError, fail } from '../../errors.ts';

const MAX_DEPTH = 16;

/**
 * Rejects what no field may contain: NUL (PostgreSQL cannot store it), lone surrogates (they would change when stored),
 * numbers too large for JavaScript (JSON cannot repeat them), keys that reach an object's prototype, and nesting that
 * only an attacker needs.
 */
export function refuseBadText(value: unknown, code: ErrorCode): void {
  walk(value, '', 1, code);
}

/** Rejects NUL and lone surrogates in path and query parameters. */
export function refuseBadParameters(values: Record<string, unknown>, code: ErrorCode): void {
  for (const [name, value] of Object.entries(values)) {
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text === 'string' && !isPlain(text)) refuse(code, printable(name));
    }
    if (!isPlain(name)) refuse(code, printable(name));
  }
}

function walk(value: unknown, path: string, depth: number, code: ErrorCode): void {
  if (typeof value === 'string') {
    if (!isPlain(value)) refuse(code, path);
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ApiError(code, { param: path || undefined, message: `${subjectOf(path)} is a number out of range.` });
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) fail('invalid_request', { message: `The body is nested deeper than ${MAX_DEPTH} levels.` });
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) walk(value[index], `${path}[${index}]`, depth + 1, code);
    return;
  }
  for (const key of Object.keys(value)) {
    const child = (value as Record<string, unknown>)[key];
    const childPath = path === '' ? printable(key) : `${path}.${printable(key)}`;
    if (!isPlain(key)) refuse(code, childPath);
    if (key === '__proto__' || (key === 'constructor' && isObject(child) && Object.hasOwn(child, 'prototype'))) {
      throw new ApiError(code, { param: childPath, message: `The key \`${key}\` is not allowed.` });
    }
    walk(child, childPath, depth + 1, code);
  }
}

function refuse(code: ErrorCode, param: string): never {
  throw new ApiError(code, {
    param: param === '' ? undefined : param,
    message:
      `${param === '' ? 'A text' : subjectOf(param)} contains a NUL character or an unpaired surrogate. ` +
      'Send well-formed Unicode text.',
  });
}

function subjectOf(path: string): string {
  return path === '' ? 'The body' : `\`${path}\``;
}

function isPlain(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A key in a form that an error message can show. */
export function printable(key: string): string {
  return cutText(key.toWellFormed().replaceAll('\u0000', '\uFFFD'), 100);
}
