import type { ErrorCode } from '@quittance/contract';
import { domainToASCII } from 'node:url';
import { fail } from './errors.ts';

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/**
 * The address as it is stored and compared: lower case, its domain in punycode. Undefined if no mail can be sent to it.
 * Quoted local parts and address literals are rejected: they are rare, and they hide things.
 */
export function readEmailAddress(text: string): string | undefined {
  // Making a domain ASCII silently drops line breaks and tabs.
  if (/[\s\p{Cc}]/u.test(text)) return undefined;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0)).toLowerCase();
  // It goes through a URL parser, which would cut off a path or a port, and decode percent signs.
  const host = text.slice(at + 1);
  const domain = /[/\\?#%:]/.test(host) ? '' : domainToASCII(host).toLowerCase();
  if (local.length > 64 || local.length + 1 + domain.length > 254 || !LOCAL_PART.test(local)) return undefined;

  const labels = domain.split('.');
  const topLevel = labels.at(-1) as string;
  const isHostName =
    labels.length >= 2 &&
    labels.every((label) => label.length <= 63 && LABEL.test(label)) &&
    !/^[0-9]+$/.test(topLevel);
  return isHostName ? `${local}@${domain}` : undefined;
}

/** An address of a query, where a `+` that was not encoded arrives as a space. One that is unreadable finds nothing. */
export function readQueriedEmail(text: string): string {
  return readEmailAddress(text.replaceAll(' ', '+')) ?? text;
}

/** The address in this field of a request, as it is stored. */
export function requireEmailAddress(text: string, param: string, code: ErrorCode): string {
  const message = `\`${param}\` must be an email address such as kim@example.com.`;
  return readEmailAddress(text) ?? fail(code, { param, message });
}
