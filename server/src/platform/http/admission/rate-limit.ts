import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { SECOND_MS } from '../../time.ts';
import { WIDER_ALLOWANCE, widerBucket } from './client.ts';
import { openSharedStore, type SharedStore } from './shared-store.ts';

/** What became of one request in its bucket. */
export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the bucket is full again, in unix seconds, rounded up. */
  resetUnixSeconds: number;
  retryAfterSeconds: number;
}

/** So many things per window and key. The window opens with the first; what is refused does not prolong it. */
interface Quota {
  /** Counts one more. Never throws: where the shared store is lost, this process counts by itself. */
  take(key: string): Promise<Verdict>;
  /** How the key stands, without counting. */
  look(key: string): Promise<Verdict>;
}

/** The quotas of the service: in memory, or shared by all its processes through Redis. */
export interface Limiter {
  /** Requests per second: the one whose figures the `X-RateLimit-*` headers tell. */
  requests: Quota;
  /** Credentials that turned out to be none, per client. */
  failures: Quota;
  /** A further quota, for a noun's own rules. The same name is the same quota. */
  quota(name: string, points: number, windowSeconds: number): Quota;
  /** Whether the shared store is lost, so that every process counts for itself. */
  isDegraded(): boolean;
  close(): Promise<void>;
}

export interface LimiterOptions {
  requestsPerSecond: number;
  redisUrl: string | null;
  log: Logger;
}

const FAILURES_PER_MINUTE = 20;

export function createLimiter({ requestsPerSecond, redisUrl, log }: LimiterOptions): Limiter {
  const store = redisUrl === null ? null : openSharedStore(redisUrl, log);
  const quotas = new Map<string, Quota>();
  const quota = (name: string, points: number, windowSeconds: number): Quota => {
    const known = quotas.get(name);
    if (known) return known;
    const made = withWiderBuckets(
      countBy(name, points, windowSeconds),
      countBy(`${name} per /48`, points * WIDER_ALLOWANCE, windowSeconds),
    );
    quotas.set(name, made);
    return made;
  };
  const countBy = (name: string, points: number, windowSeconds: number): Quota =>
    store
      ? sharedQuota(name, points, windowSeconds, store)
      : ownQuota(new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds }));
  return {
    requests: quota('requests', requestsPerSecond, 1),
    failures: quota('failures', FAILURES_PER_MINUTE, 60),
    quota,
    isDegraded: () => store?.isLost() ?? false,
    close: async () => store?.close(),
  };
}

/**
 * Counts an IPv6 client for its /48 too. The figures are the client's own until the /48 has none left. What the client is refused
 * for itself does not count for the /48.
 */
function withWiderBuckets(own: Quota, wider: Quota): Quota {
  return {
    async take(key) {
      const verdict = await own.take(key);
      const around = verdict.allowed ? widerBucket(key) : undefined;
      if (around === undefined) return verdict;
      const ofAll = await wider.take(around);
      return ofAll.allowed ? verdict : ofAll;
    },
    async look(key) {
      const verdict = await own.look(key);
      const around = verdict.remaining > 0 ? widerBucket(key) : undefined;
      if (around === undefined) return verdict;
      const ofAll = await wider.look(around);
      return ofAll.remaining > 0 ? verdict : ofAll;
    },
  };
}

function ownQuota(limiter: RateLimiterMemory): Quota {
  return {
    take: async (key) => toVerdict(await settle(limiter.consume(key)), limiter.points),
    look: async (key) => toVerdict(await limiter.get(key), limiter.points),
  };
}

function sharedQuota(name: string, points: number, windowSeconds: number, store: SharedStore): Quota {
  const shared = new RateLimiterRedis({
    storeClient: store.redis,
    keyPrefix: `quittance:${name}`,
    points,
    duration: windowSeconds,
    rejectIfRedisNotReady: true,
  });
  // Keeps what the shared count was last known to be, so that a process that must go on alone does not begin at nothing.
  const own = new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds });
  const ownWords = ownQuota(own);
  return {
    async take(key) {
      const state = await store.ask(() => settle(shared.consume(key)));
      if (!state) return ownWords.take(key);
      if (state.msBeforeNext > 0) await own.set(key, state.consumedPoints, state.msBeforeNext / SECOND_MS);
      return toVerdict(state, points);
    },
    async look(key) {
      const answer = await store.ask(async () => ({ state: await shared.get(key) }));
      return answer ? toVerdict(answer.state, points) : ownWords.look(key);
    },
  };
}

/** The library throws what is over the limit; here it is an outcome like any other. */
async function settle(consumed: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
  try {
    return await consumed;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}

function toVerdict(state: RateLimiterRes | null, limit: number): Verdict {
  const consumed = state?.consumedPoints ?? 0;
  const ms = Math.max(state?.msBeforeNext ?? 0, 0);
  return {
    allowed: consumed <= limit,
    limit,
    remaining: Math.max(limit - consumed, 0),
    resetUnixSeconds: Math.ceil((Date.now() + ms) / SECOND_MS),
    retryAfterSeconds: Math.max(Math.ceil(ms / SECOND_MS), 1),
  };
}

/** The figures of the limit, on every answer. */
export function rateLimitHeaders(verdict: Verdict): Record<string, string> {
  return {
    'x-ratelimit-limit': String(verdict.limit),
    'x-ratelimit-remaining': String(verdict.remaining),
    'x-ratelimit-reset': String(verdict.resetUnixSeconds),
  };
}
