import { randomInt } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';
import { MINUTE_MS } from '../../platform/time.ts';

/** No 0, 1, I, L or O: nobody shall have to guess which they read. */
const CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
export const CODE_LENGTH = 6;
export const CODE_LIFE_MS = 10 * MINUTE_MS;

/** A new code, one of 887 million. */
export function newEmailCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

/** What is kept of a code. A bare hash of so few possible codes would be turned back in a second, so it is keyed. */
export function hashEmailCode(secrets: Secrets, email: string, code: string): Buffer {
  return secrets.keyedHash(`${email}\n${code.toUpperCase()}`, 'email code');
}
