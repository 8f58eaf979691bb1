import { TemporaryError } from '../../../platform/errors.ts';
import { RouteRefusedError } from '../router.ts';

const PASSING = new Set([
  'PRICE_FETCH_FAILED',
  'SERVICE_UNAVAILABLE',
  'REQUEST_TIMED_OUT',
  'RPC_HTTP_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'ROUTE_TEMPORARILY_RESTRICTED',
  'CHAIN_DISABLED',
]);
const BLOCKED = new Set(['SANCTIONED_WALLET_ADDRESS', 'SANCTIONED_CURRENCY', 'BLOCKED_WALLET_ADDRESS']);

/** What an answer that is no quote means: refused for good, or not right now. */
export function refusalOf(status: number, body: unknown): Error {
  const { errorCode, message } = (typeof body === 'object' && body !== null ? body : {}) as {
    errorCode?: unknown;
    message?: unknown;
  };
  const said = `${typeof errorCode === 'string' ? errorCode : status}: ${typeof message === 'string' ? message.slice(0, 300) : ''}`;
  if (typeof errorCode === 'string' && BLOCKED.has(errorCode)) return new RouteRefusedError(`compliance: ${said}`);
  const isPassing =
    status === 429 ||
    status >= 500 ||
    status === 401 ||
    status === 403 ||
    (typeof errorCode === 'string' && PASSING.has(errorCode));
  return isPassing ? new TemporaryError(`Relay answered ${said}`) : new RouteRefusedError(said);
}
