import type { ErrorCode } from '@quittance/contract';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type AddressProblem, readWebAddress } from '../../platform/web-address.ts';

/** Placeholder for the session's id in a redirect URL. */
export const SESSION_ID_PLACEHOLDER = '{CHECKOUT_SESSION_ID}';

/** A validated redirect URL: absolute https, or http on this machine. */
export function readRedirectUrl(text: string | undefined, param: string, code: ErrorCode): string | null {
  if (text === undefined) return null;
  const read = readWebAddress(fillIn(text, newId('cs')), { insecure: 'this machine' });
  if (typeof read === 'string') fail(code, { param, message: `\`${param}\` ${EXPECTED[read]}.` });
  return text;
}

const ABSOLUTE = 'must be an absolute URL such as https://shop.example.com/thanks';
const EXPECTED: Record<AddressProblem, string> = {
  form: ABSOLUTE,
  scheme: ABSOLUTE,
  length: 'must have at most 2,048 characters',
  credentials: 'must not contain a user name or password',
  insecure: 'must be https. http is allowed for localhost only',
};

/** The redirect URL with the session's id filled in. */
export function fillIn(url: string, sessionId: string): string {
  return url.replaceAll(SESSION_ID_PLACEHOLDER, sessionId);
}
