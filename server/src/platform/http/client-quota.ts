import { refuseOver } from './admit.ts';
import { clientBucket, isLoopbackAddress } from './client.ts';
import type { Limiter } from './rate-limit.ts';

export interface QuotaNeeds {
  limiter: Limiter;
  profile: 'development' | 'production';
}

/** Holds each client to so many things a minute, beside the limit of all requests. Whoever develops on this machine is not held to it. */
export function clientQuota({ limiter, profile }: QuotaNeeds, name: string, mostPerMinute: number): (ip: string | undefined) => Promise<void> {
  const quota = limiter.quota(name, mostPerMinute, 60);
  return async (ip) => {
    if (profile === 'development' && isLoopbackAddress(ip)) return;
    refuseOver(await quota.take(clientBucket(ip)));
  };
}
