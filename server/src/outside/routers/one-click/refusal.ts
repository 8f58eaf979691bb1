import { TemporaryError } from '../../../platform/errors.ts';
import { RouteRefusedError } from '../router.ts';

/**
 * The error for a response that is not a quote: rejected for good, or temporarily. The provider's message is only
 * logged.
 */
export function refusalOf(status: number, body: unknown): Error {
  const message =
    typeof body === 'object' && body !== null && typeof (body as { message?: unknown }).message === 'string'
      ? (body as { message: string }).message.slice(0, 300)
      : '';
  if (status === 429 || status >= 500 || /internal server error/i.test(message))
    return new TemporaryError(`1Click answered ${status}: ${message}`);
  if (status === 401) return new TemporaryError(`1Click rejected the API key: ${message}`);
  if (status === 403 || status === 451 || /compliance/i.test(message))
    return new RouteRefusedError(`compliance: ${message}`);
  const minimum = /too low for bridge, try at least (\d{1,78})/i.exec(message)?.[1];
  return new RouteRefusedError(
    message || `1Click answered ${status}`,
    minimum === undefined ? undefined : BigInt(minimum),
  );
}
