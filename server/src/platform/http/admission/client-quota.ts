import { clientShare } from '../../client-share.ts';
import { ApiError } from '../../errors.ts';
import { refuseOver } from './admit.ts';
import { Client, limitedClient } from './client.ts';
import type { Limiter } from './rate-limit.ts';

/** The limits per minute on one object, for all clients together and for one of them, and the messages beyond them. */
export interface ObjectQuota {
  name: string;
  perMinute: number;
  perClient: number;
  message: string;
  messageToClient: string;
}

export interface QuotaNeeds {
  limiter: Limiter;
  profile: 'development' | 'production';
}

/**
 * Limits each client (or, with a key, each account and mode) to this many requests a minute, in addition to the limit of all
 * requests. Clients on the developer's own machine are exempt.
 */
export function clientQuota(
  { limiter, profile }: QuotaNeeds,
  name: string,
  maxPerMinute: number,
  message?: string,
): (client: Client, account?: string) => Promise<void> {
  const quota = limiter.quota(name, maxPerMinute, 60);
  return async (client, account) => {
    const limited = limitedClient({ profile }, client);
    if (limited) refuseOver(await quota.take(account === undefined ? limited : Client.only(account)), message);
  };
}

/** Bytes of request bodies an hour, beyond what an ordinary request has: most of them are stored. */
const LARGE_BODIES_PER_HOUR = 64 * 1024 ** 2;
const ORDINARY_BODY_BYTES = 4 * 1024;

/** Limits what an account has stored by its large bodies, whatever it sends them to. */
export function largeBodyQuota({ limiter }: QuotaNeeds): (accountId: string, bytes: number) => Promise<void> {
  const quota = limiter.quota('large bodies', LARGE_BODIES_PER_HOUR, 60 * 60);
  return async (accountId, bytes) => {
    if (bytes <= ORDINARY_BODY_BYTES) return;
    const message = 'This account has sent more than 64 MiB in large request bodies within an hour. Send smaller ones.';
    refuseOver(await quota.take(Client.only(accountId), bytes - ORDINARY_BODY_BYTES), message);
  };
}

/**
 * Limits the requests of all clients together for one object, and the share of one client, which shrinks as the limit
 * comes near. A route and a page that name the same quota share it.
 */
export function objectQuota(
  { limiter, profile }: QuotaNeeds,
  options: ObjectQuota | undefined,
): ((id: string | undefined, client: Client) => Promise<void>) | undefined {
  if (!options) return undefined;
  const { perMinute, ...rest } = options;
  const count = sharedQuota(limiter, { ...rest, most: perMinute, seconds: 60 });
  return async (id, client) => {
    if (id !== undefined) await count(id, limitedClient({ profile }, client));
  };
}

/** The same in a window of any length. Without a client, only the common limit counts. */
export function sharedQuota(
  limiter: Pick<Limiter, 'quota'>,
  { name, most, seconds, perClient, ...messages }: Omit<ObjectQuota, 'perMinute'> & { most: number; seconds: number },
): (id: string, client: Client | null) => Promise<void> {
  const quota = limiter.quota(name, most, seconds);
  const ofClient = limiter.quota(`${name} per client`, perClient, seconds);
  return async (id, client) => {
    const object = Client.only(id);
    if (client) {
      const own = await ofClient.take(client.within(id));
      const ownCount = own.limit - own.remaining;
      // This request is not in the common count yet.
      const ofOthers = Math.max(0, most - (await quota.look(object)).remaining - (ownCount - 1));
      const share = clientShare(perClient, ofOthers, most);
      // If nothing is left, the common limit rejects the request.
      if (!own.allowed || (share > 0 && ownCount > share))
        throw new ApiError('rate_limited', {
          message: messages.messageToClient,
          retryAfterSeconds: own.retryAfterSeconds,
        });
    }
    const { allowed, retryAfterSeconds } = await quota.take(object);
    if (!allowed) throw new ApiError('rate_limited', { message: messages.message, retryAfterSeconds });
  };
}
