import { HOUR_MS, SECOND_MS } from '../../../platform/time.ts';

/** The longest time that a provider may ask not to be queried. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** How long a `Retry-After` header asks to wait: seconds, or an HTTP date. Undefined if it says neither, or no time. */
export function toRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * SECOND_MS;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
