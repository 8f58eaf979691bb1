import { TemporaryError } from '../../../platform/errors.ts';
import { RouteRefusedError } from '../router.ts';

/** What an answer that is no quote means: refused for good, or not right now. The provider's own words stay in the log. */
export function refusalOf(status: number, body: unknown): Error {
  const said =
    typeof body === 'object' && body !== null && typeof (body as { message?: unknown }).message === 'string'
      ? (body as { message: string }).message.slice(0, 300)
      : '';
  if (status === 429 || status >= 500 || /internal server error/i.test(said))
    return new TemporaryError(`1Click answered ${status}: ${said}`);
  if (status === 401) return new TemporaryError(`1Click refuses our key: ${said}`);
  if (status === 403 || status === 451 || /compliance/i.test(said)) return new RouteRefusedError(`compliance: ${said}`);
  const least = /too low for bridge, try at least (\d{1,78})/i.exec(said)?.[1];
  return new RouteRefusedError(said || `1Click answered ${status}`, least === undefined ? undefined : BigInt(least));
}
