import { TemporaryError } from '../../../platform/errors.ts';
import { createShares } from '../../../platform/client-share.ts';
import type { Client } from '../../../platform/http/admission/client.ts';
import { createBudget } from './budget.ts';

export interface HintLimits {
  maxAtOnce: number;
  maxWaiting: number;
  /** How long a result is cached. */
  cacheMs: number;
  maxAMinute: number;
  /** The limits of one client while no other client uses any; they shrink as the budget fills. */
  perClient: { atOnce: number; aMinute: number };
}

// Each costs about three calls at every provider. A rejected hint delays only itself: the watcher reads every block.
export const HINT_LIMITS: HintLimits = {
  maxAtOnce: 4,
  maxWaiting: 16,
  cacheMs: 10_000,
  maxAMinute: 120,
  perClient: { atOnce: 10, aMinute: 40 },
};

/** Lookups requested by anonymous customers, limited so that the watcher's providers stay available. */
export interface Hints {
  /** Throws `TemporaryError` if too many are running, of all clients or of this one. */
  lookUp<T>(key: string, lookUp: () => Promise<T>, client?: Client | null): Promise<T>;
}

export function createHints(limits: HintLimits = HINT_LIMITS, now: () => number = () => performance.now()): Hints {
  const budget = createBudget(
    { maxStarts: limits.maxAMinute, maxStartsPerClient: limits.perClient.aMinute, windowMs: 60_000 },
    now,
  );
  const slots = createShares({ limit: limits.maxAtOnce + limits.maxWaiting, perClient: limits.perClient.atOnce });
  const cache = new Map<string, { answer: Promise<unknown>; atMs: number }>();
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Undefined if it was rejected. */
  async function run<T>(lookUp: () => Promise<T>, client: Client | null): Promise<{ answer: T } | undefined> {
    if (!slots.acquire(client)) return undefined;
    if (running >= limits.maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await budget.spend(async () => ({ answer: await lookUp() }), client);
    } finally {
      slots.release(client);
      // The next in the queue takes this slot.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    lookUp<T>(key: string, lookUp: () => Promise<T>, client: Client | null = null): Promise<T> {
      const nowMs = now();
      for (const [old, { atMs }] of cache) {
        if (nowMs - atMs < limits.cacheMs) break;
        cache.delete(old);
      }
      const before = cache.get(key)?.answer as Promise<T> | undefined;
      if (before) return before;

      const answer = run(lookUp, client).then((done) => {
        if (done) return done.answer;
        cache.delete(key);
        throw new TemporaryError('too many transactions are being looked up');
      });
      cache.set(key, { answer, atMs: nowMs });
      return answer;
    },
  };
}
