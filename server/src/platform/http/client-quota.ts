import { refuseOver } from './admit.ts';
import { clientBucket, isLoopbackAddress } from './client.ts';
import type { Limiter } from './rate-limit.ts';

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
): (ip: string | undefined, accountId?: string) => Promise<void> {
  const quota = limiter.quota(name, mostPerMinute, 60);
  return async (ip, accountId) => {
    if (profile === 'development' && isLoopbackAddress(ip)) return;
    refuseOver(await quota.take(accountId ?? clientBucket(ip)));
  };
}
