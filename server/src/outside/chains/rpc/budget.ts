/** Limits the work that strangers can cause: the number of starts, and the time spent, per window. */
export interface Budget {
  /** Runs the work if the budget allows it; returns undefined if it is used up. */
  spend<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function createBudget(
  limits: { maxStarts: number; maxSpentMs?: number; windowMs: number },
  now: () => number = () => performance.now(),
): Budget {
  const { maxStarts, maxSpentMs = Number.POSITIVE_INFINITY, windowMs } = limits;
  let windowBeganMs = Number.NEGATIVE_INFINITY;
  let starts = 0;
  let spentMs = 0;
  return {
    async spend(work) {
      const beganMs = now();
      if (beganMs - windowBeganMs >= windowMs) [windowBeganMs, starts, spentMs] = [beganMs, 0, 0];
      if (starts >= maxStarts || spentMs >= maxSpentMs) return undefined;
      starts += 1;
      try {
        return await work();
      } finally {
        spentMs += now() - beganMs;
      }
    },
  };
}
