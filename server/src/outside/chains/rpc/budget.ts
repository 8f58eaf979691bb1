/** Bounds the work that strangers can cause: so many starts, and so much time, in each window. */
export interface Budget {
  /** Does the work if the budget allows it; undefined where it is used up. */
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
