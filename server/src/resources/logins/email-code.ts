import { randomInt } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';
import { MINUTE_MS } from '../../platform/time.ts';

/** Without 0, 1, I, L and O, which are easily confused. */
const CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
export const CODE_LENGTH = 6;
export const CODE_LIFE_MS = 10 * MINUTE_MS;

/** A new code, one of 887 million. */
export function newEmailCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

/** The stored form of a code. A plain hash of so few possible codes could be reversed in a second, so it is keyed. */
export function hashEmailCode(secrets: Secrets, email: string, code: string): Buffer {
  return secrets.keyedHash(`${email}\n${code.toUpperCase()}`, 'email code');
}

/** 256 random bits: guessing is hopeless, so wrong links are not counted. */
export const EMAIL_LINK_TOKEN_LENGTH = 43;

/**
 * A page with a button that posts the token. Opening it changes nothing, so mail scanners do not use it up. The token
 * is in the fragment, which browsers send neither to the server nor in a `Referer` header.
 */
export function emailLinkUrl(publicUrl: string, email: string, token: string): string {
  return `${publicUrl}/dashboard/sign-in#${new URLSearchParams({ login: token, email })}`;
}
