import type { ErrorCode } from '@quittance/contract';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';

/** Placeholder for the session's id in a redirect URL. */
export const SESSION_ID_PLACEHOLDER = '{CHECKOUT_SESSION_ID}';

/** A validated redirect URL: absolute https, or http on this machine. */
export function readRedirectUrl(text: string | undefined, param: string, code: ErrorCode): string | null {
  if (text === undefined) return null;
  const url = parse(fillIn(text, newId('cs')));
  if (!url)
    fail(code, { param, message: `\`${param}\` must be an absolute URL such as https://shop.example.com/thanks.` });
  if (url.username || url.password)
    fail(code, { param, message: `\`${param}\` must not contain a user name or password.` });
  if (url.protocol !== 'https:' && !isThisMachine(url.hostname)) {
    fail(code, { param, message: `\`${param}\` must be https. http is allowed for localhost only.` });
  }
  return text;
}

/** The redirect URL with the session's id filled in. */
export function fillIn(url: string, sessionId: string): string {
  return url.replaceAll(SESSION_ID_PLACEHOLDER, sessionId);
}

function parse(text: string): URL | undefined {
  // URL() accepts spaces, backslashes and a missing `//`, which a link should not contain.
  if (!/^https?:\/\/[^\s\\/?#\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
