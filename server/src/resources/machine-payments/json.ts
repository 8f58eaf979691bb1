// JSON that programs send in headers: base64, strictly one encoding, with limits on size and depth.

import { refuseBadText } from '../../platform/http/validation/text.ts';

type JsonObject = Record<string, unknown>;

/** The maximum length of a header value. A full challenge of this service has less than half of it. */
export const MAX_CREDENTIAL_LENGTH = 12 * 1024;
const MAX_DEPTH = 8;

const ALPHABETS = {
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  base64url: /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/,
};

/** The object in an encoded text; undefined unless it is well-formed, of text that can be stored, and not nested too deep. */
export function decodeJson(text: string, alphabet: keyof typeof ALPHABETS): JsonObject | undefined {
  if (text === '' || text.length > MAX_CREDENTIAL_LENGTH || !ALPHABETS[alphabet].test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, alphabet)));
    if (!isObject(value) || !isShallow(value, MAX_DEPTH)) return undefined;
    refuseBadText(value, 'invalid_request');
    return value;
  } catch {
    return undefined;
  }
}

export function encodeJson(value: unknown, alphabet: keyof typeof ALPHABETS): string {
  return Buffer.from(canonicalJson(value)).toString(alphabet);
}

/** One text for one value (RFC 8785): keys in the order of their code units, no spaces. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${entries.join(',')}}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
