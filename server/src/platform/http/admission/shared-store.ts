import { Redis } from 'ioredis';
import type { Logger } from 'pino';

const ANSWER_TIMEOUT_MS = 50;
const CONNECT_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_MS = 1_000;
const CHECK_TIMEOUT_MS = 5_000;

/** A Redis connection that answers at once or not at all: a request never waits for a limiter that is down. */
export interface SharedStore {
  redis: Redis;
  /** The store's answer, or undefined if it is unreachable or late. */
  ask<T>(question: () => Promise<T>): Promise<T | undefined>;
  isLost(): boolean;
  close(): void;
}

export function openSharedStore(url: string, log: Logger): SharedStore {
  let isLeaving = false;
  /** The former primary keeps its connections after a failover; behind the address there is a new one. Leaves once. */
  const leaveReplica = (error: Error) => {
    if (isLeaving || !error.message.startsWith('READONLY')) return false;
    isLeaving = true;
    return true;
  };
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Only cleans up commands that no request waits for.
    commandTimeout: 20 * ANSWER_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    reconnectOnError: leaveReplica,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_MS),
  });
  // `ask` reports failures to its callers. Without a listener the event would end the process.
  redis.on('error', () => {});
  redis.on('close', () => {
    isLeaving = false;
  });
  let isLate = false;

  return {
    redis,
    async ask(question) {
      try {
        const answer = await inTime(question());
        if (isLate) log.info('Redis reconnected: limits are shared again');
        isLate = false;
        return answer;
      } catch (error) {
        if (!isLate)
          log.warn(
            { error: (error as Error).message },
            'Redis disconnected: each process applies its own limits until it is back',
          );
        isLate = true;
        return undefined;
      }
    },
    isLost: () => isLate || redis.status !== 'ready',
    close: () => redis.disconnect(),
  };
}

/** Whether the server behind an address is a primary or a replica. Throws if it does not answer. */
export async function findRedisRole(url: string): Promise<string> {
  const redis = new Redis(url, {
    connectTimeout: CHECK_TIMEOUT_MS,
    commandTimeout: CHECK_TIMEOUT_MS,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let refusal: Error | undefined;
  redis.on('error', (error) => {
    refusal = error;
  });
  try {
    await redis.connect();
    return /^role:(\w+)/m.exec(await redis.info('replication'))?.[1] ?? 'server of an unknown role';
  } catch (error) {
    // The reason of a closed connection comes before it.
    throw refusal ?? error;
  } finally {
    redis.disconnect();
  }
}

/** The promise's result, if it arrives in time. */
function inTime<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // If this process itself was busy, the answer may have arrived unread, so it is read before it counts as late.
    const late = () =>
      setImmediate(() => setImmediate(() => reject(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`))));
    const timer = setTimeout(late, ANSWER_TIMEOUT_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
