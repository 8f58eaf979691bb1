import { createShares } from '../../../platform/client-share.ts';
import type { Client } from '../../../platform/http/admission/client.ts';

/** Limits the work that strangers can cause: the number of starts, and the time spent, per window. */
export interface Budget {
  /** Runs the work if the budget allows it; returns undefined if the budget, or this client's share of it, is used up. */
  spend<T>(work: () => Promise<T>, client?: Client | null): Promise<T | undefined>;
}

export function createBudget(
  limits: { maxStarts: number; maxStartsPerClient?: number; maxSpentMs?: number; windowMs: number },
  now: () => number = () => performance.now(),
): Budget {
  const { maxStarts, maxStartsPerClient = maxStarts, maxSpentMs = Number.POSITIVE_INFINITY, windowMs } = limits;
  let windowBeganMs = Number.NEGATIVE_INFINITY;
  let starts = createShares({ limit: maxStarts, perClient: maxStartsPerClient });
  let spentMs = 0;
  return {
    async spend(work, client = null) {
      const beganMs = now();
      if (beganMs - windowBeganMs >= windowMs) {
        [windowBeganMs, spentMs] = [beganMs, 0];
        starts = createShares({ limit: maxStarts, perClient: maxStartsPerClient });
      }
      if (spentMs >= maxSpentMs || !starts.acquire(client)) return undefined;
      try {
        return await work();
      } finally {
        spentMs += now() - beganMs;
      }
    },
  };
}
