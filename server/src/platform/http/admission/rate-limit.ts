import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { SECOND_MS } from '../../time.ts';
import { type Client, WIDER_ALLOWANCE } from './client.ts';
import { openSharedStore, type SharedStore } from './shared-store.ts';

/** The result of counting one request. */
export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the bucket is full again, in unix seconds, rounded up. */
  resetUnixSeconds: number;
  retryAfterSeconds: number;
}

/** A number of uses per window and client. The window opens with the first use; rejected uses do not extend it. */
interface Quota {
  /**
   * Counts one more, or one that costs as much as several. Never throws: if the shared store is unreachable, this process counts
   * alone.
   */
  take(client: Client, cost?: number): Promise<Verdict>;
  /** The state of a client, without counting. */
  look(client: Client): Promise<Verdict>;
}

/** The same of one range. */
interface Counter {
  take(key: string, cost: number): Promise<Verdict>;
  look(key: string): Promise<Verdict>;
}

/** The quotas of the service: in memory, or shared by all its processes through Redis. */
export interface Limiter {
  /** Requests per second: the limit of the `X-RateLimit-*` headers. */
  requests: Quota;
  /** Invalid credentials, per client. */
  failures: Quota;
  /** Another quota, for a resource's own rules. The same name is the same quota. */
  quota(name: string, points: number, windowSeconds: number): Quota;
  /** Whether the shared store is unreachable, so that every process counts alone. */
  isDegraded(): boolean;
  close(): Promise<void>;
}

export interface LimiterOptions {
  requestsPerSecond: number;
  /** Longer only in tests, whose requests may need more than a second. */
  windowSeconds?: number;
  redisUrl: string | null;
  log: Logger;
}

const FAILURES_PER_MINUTE = 20;

export function createLimiter({ requestsPerSecond, windowSeconds = 1, redisUrl, log }: LimiterOptions): Limiter {
  const store = redisUrl === null ? null : openSharedStore(redisUrl, log);
  const quotas = new Map<string, Quota>();
  const quota = (name: string, points: number, windowSeconds: number): Quota => {
    const known = quotas.get(name);
    if (known) return known;
    const made = withWiderRanges(
      countBy(name, points, windowSeconds),
      countBy(`${name} per /48`, points * WIDER_ALLOWANCE, windowSeconds),
    );
    quotas.set(name, made);
    return made;
  };
  const countBy = (name: string, points: number, windowSeconds: number): Counter =>
    store
      ? sharedQuota(name, points, windowSeconds, store)
      : ownQuota(new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds }));
  return {
    requests: quota('requests', requestsPerSecond, windowSeconds),
    failures: quota('failures', FAILURES_PER_MINUTE, 60),
    quota,
    isDegraded: () => store?.isLost() ?? false,
    close: async () => store?.close(),
  };
}

/**
 * Counts a client for its wider range too. The figures are the client's own until the range has none left. What the client is
 * refused for itself does not count for the range.
 */
function withWiderRanges(own: Counter, wider: Counter): Quota {
  return {
    async take({ narrow, wide }, cost = 1) {
      const verdict = await own.take(narrow, cost);
      if (wide === null || !verdict.allowed) return verdict;
      const ofAll = await wider.take(wide, cost);
      return ofAll.allowed ? verdict : ofAll;
    },
    async look({ narrow, wide }) {
      const verdict = await own.look(narrow);
      if (wide === null || verdict.remaining === 0) return verdict;
      const ofAll = await wider.look(wide);
      return ofAll.remaining > 0 ? verdict : ofAll;
    },
  };
}

function ownQuota(limiter: RateLimiterMemory): Counter {
  return {
    // What costs more than a whole window is still allowed once in each.
    take: async (key, cost) =>
      toVerdict(await settle(limiter.consume(key, Math.min(cost, limiter.points))), limiter.points),
    look: async (key) => toVerdict(await limiter.get(key), limiter.points),
  };
}

function sharedQuota(name: string, points: number, windowSeconds: number, store: SharedStore): Counter {
  const shared = new RateLimiterRedis({
    storeClient: store.redis,
    keyPrefix: `quittance:${name}`,
    points,
    duration: windowSeconds,
    rejectIfRedisNotReady: true,
  });
  // Keeps the last known shared count, so that a process that must count alone does not start at zero.
  const own = new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds });
  const ownWords = ownQuota(own);
  return {
    async take(key, cost) {
      const state = await store.ask(() => settle(shared.consume(key, Math.min(cost, points))));
      if (!state) return ownWords.take(key, cost);
      if (state.msBeforeNext > 0) await own.set(key, state.consumedPoints, state.msBeforeNext / SECOND_MS);
      return toVerdict(state, points);
    },
    async look(key) {
      const answer = await store.ask(async () => ({ state: await shared.get(key) }));
      return answer ? toVerdict(answer.state, points) : ownWords.look(key);
    },
  };
}

/** The library throws for requests over the limit; here that is a normal result. */
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

/** The limit's headers, on every response. */
export function rateLimitHeaders(verdict: Verdict): Record<string, string> {
  return {
    'x-ratelimit-limit': String(verdict.limit),
    'x-ratelimit-remaining': String(verdict.remaining),
    'x-ratelimit-reset': String(verdict.resetUnixSeconds),
  };
}
