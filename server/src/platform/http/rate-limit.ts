import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

const REDIS_COMMAND_TIMEOUT_MS = 50;
const REDIS_RECONNECT_MOST_MS = 1_000;

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
export interface Quota {
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
  /** A further quota, for a noun's own rules. The name is unique. */
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
  const store = redisUrl === null ? undefined : connect(redisUrl, log);
  const quota = (name: string, points: number, windowSeconds: number): Quota => createQuota(name, points, windowSeconds, store?.redis);
  return {
    requests: quota('requests', requestsPerSecond, 1),
    failures: quota('failures', FAILURES_PER_MINUTE, 60),
    quota,
    isDegraded: () => store !== undefined && store.redis.status !== 'ready',
    close: async () => store?.redis.disconnect(),
  };
}

function createQuota(name: string, points: number, windowSeconds: number, redis: Redis | undefined): Quota {
  const own = new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds });
  const limiter = redis === undefined ? own : new RateLimiterRedis({
    storeClient: redis, keyPrefix: `quittance:${name}`, points, duration: windowSeconds,
    rejectIfRedisNotReady: true, insuranceLimiter: own,
  });
  return {
    async take(key) {
      try {
        return toVerdict(await limiter.consume(key), points);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return toVerdict(refusal, points);
        throw refusal;
      }
    },
    async look(key) {
      const state = await limiter.get(key);
      return toVerdict(state ?? new RateLimiterRes(points, 0, 0, false), points);
    },
  };
}

function toVerdict(state: RateLimiterRes, limit: number): Verdict {
  const ms = Math.max(state.msBeforeNext, 0);
  return {
    allowed: state.consumedPoints <= limit,
    limit,
    remaining: Math.max(limit - state.consumedPoints, 0),
    resetUnixSeconds: Math.ceil((Date.now() + ms) / 1_000),
    retryAfterSeconds: Math.max(Math.ceil(ms / 1_000), 1),
  };
}

/** A connection that answers at once or not at all: a request never waits for a limiter that is down. */
function connect(url: string, log: Logger): { redis: Redis } {
  const redis = new Redis(url, {
    commandTimeout: REDIS_COMMAND_TIMEOUT_MS,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, REDIS_RECONNECT_MOST_MS),
  });
  let isLost = false;
  redis.on('error', (error: Error) => {
    if (!isLost) log.warn({ error: error.message }, 'Redis is lost; every process limits requests by itself until it is back');
    isLost = true;
  });
  redis.on('ready', () => {
    if (isLost) log.info('Redis is back; limits are shared again');
    isLost = false;
  });
  return { redis };
}
