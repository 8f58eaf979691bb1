import { createShares } from '../../../platform/client-share.ts';
import type { Client } from '../../../platform/http/admission/client.ts';

/** Limits the work that strangers can cause: the number of starts, and the time spent, per window. */
export interface Budget {
  /** Runs the work if the budget allows it; returns undefined if the budget, or this client's share of it, is used up. */
  spend<T>(work: () => Promise<T>, client?: Client | null): Promise<T | undefined>;
}

/** Work that an operator asked for has no limit. */
export const NO_LIMIT: Budget = { spend: (work) => work() };

export function createBudget(
  limits: {
    maxStarts: number;
    maxStartsPerClient?: number;
    maxSpentMs?: number;
    windowMs: number;
    /** Called at the first refusal of each window. */
    onUsedUp?: () => void;
  },
  now: () => number = () => performance.now(),
): Budget {
  const { maxStarts, maxStartsPerClient = maxStarts, maxSpentMs = Number.POSITIVE_INFINITY, windowMs } = limits;
  let isUsedUp = false;
  let windowBeganMs = Number.NEGATIVE_INFINITY;
  let starts = createShares({ limit: maxStarts, perClient: maxStartsPerClient });
  let spentMs = 0;
  return {
    async spend(work, client = null) {
      const beganMs = now();
      if (beganMs - windowBeganMs >= windowMs) {
        [windowBeganMs, spentMs, isUsedUp] = [beganMs, 0, false];
        starts = createShares({ limit: maxStarts, perClient: maxStartsPerClient });
      }
      if (spentMs >= maxSpentMs || !starts.acquire(client)) {
        if (!isUsedUp) limits.onUsedUp?.();
        isUsedUp = true;
        return undefined;
      }
      try {
        return await work();
      } finally {
        spentMs += now() - beganMs;
      }
    },
  };
}
