import { ApiError } from '../errors.ts';
import { refuseOver } from './admit.ts';
import { clientBucket, isLoopbackAddress } from './client.ts';
import type { Limiter } from './rate-limit.ts';
import type { ObjectQuota } from './route.ts';

export interface QuotaNeeds {
  limiter: Limiter;
  profile: 'development' | 'production';
}

/**
 * Limits each client (or, where a key is given, each account) to this many requests a minute, beside the limit of all requests.
 * Clients on the developer's own machine are exempt.
 */
export function clientQuota(
  { limiter, profile }: QuotaNeeds,
  name: string,
  mostPerMinute: number,
  message?: string,
): (ip: string | undefined, accountId?: string) => Promise<void> {
  const quota = limiter.quota(name, mostPerMinute, 60);
  return async (ip, accountId) => {
    if (profile === 'development' && isLoopbackAddress(ip)) return;
    refuseOver(await quota.take(accountId ?? clientBucket(ip)), message);
  };
}

/** Limits what all clients together may ask of one object. A route and a page that name the same quota share it. */
export function objectQuota(
  limiter: Limiter,
  options: ObjectQuota | undefined,
): ((id: string | undefined) => Promise<void>) | undefined {
  if (!options) return undefined;
  const quota = limiter.quota(options.name, options.perMinute, 60);
  return async (id) => {
    if (id === undefined) return;
    const { allowed, retryAfterSeconds } = await quota.take(id);
    if (!allowed) throw new ApiError('rate_limited', { message: options.message, retryAfterSeconds });
  };
}
