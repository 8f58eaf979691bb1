import { TemporaryError } from '../../../platform/errors.ts';
import { RouteRefusedError } from '../router.ts';

const TEMPORARY_CODES = new Set([
  'PRICE_FETCH_FAILED',
  'SERVICE_UNAVAILABLE',
  'REQUEST_TIMED_OUT',
  'RPC_HTTP_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'ROUTE_TEMPORARILY_RESTRICTED',
  'CHAIN_DISABLED',
]);
const COMPLIANCE_CODES = new Set(['SANCTIONED_WALLET_ADDRESS', 'SANCTIONED_CURRENCY', 'BLOCKED_WALLET_ADDRESS']);

/** The error for a response that is not a quote: rejected for good, or temporarily. */
export function refusalOf(status: number, body: unknown): Error {
  const { errorCode, message } = (typeof body === 'object' && body !== null ? body : {}) as {
    errorCode?: unknown;
    message?: unknown;
  };
  const description = `${typeof errorCode === 'string' ? errorCode : status}: ${typeof message === 'string' ? message.slice(0, 300) : ''}`;
  if (typeof errorCode === 'string' && COMPLIANCE_CODES.has(errorCode))
    return new RouteRefusedError(`compliance: ${description}`);
  const isTemporary =
    status === 429 ||
    status >= 500 ||
    status === 401 ||
    status === 403 ||
    (typeof errorCode === 'string' && TEMPORARY_CODES.has(errorCode));
  return isTemporary ? new TemporaryError(`Relay answered ${description}`) : new RouteRefusedError(description);
}
