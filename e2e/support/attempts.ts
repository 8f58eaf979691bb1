export interface Attempts {
  /** Names the work in errors: "dashboard, phone". */
  name: string;
  /** How often the work is tried in all. */
  times: number;
  timeoutMs: number;
  /** Ends the work and its waiting at once. */
  stopped: AbortSignal;
}

/** Thrown after the last attempt. The work itself failed, unlike with a stop from outside. */
export class AttemptsError extends Error {}

/**
 * Work that may hang: one that takes too long is left, with its signal aborted so that it cleans up, and tried again.
 * Every attempt that failed is written to standard error.
 */
export async function attempt<T>(attempts: Attempts, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { name, times, timeoutMs, stopped } = attempts;
  for (let count = 1; ; count += 1) {
    const left = new AbortController();
    const slow = setTimeout(() => left.abort(new Error(`no result within ${timeoutMs / 1000} s`)), timeoutMs);
    const signal = AbortSignal.any([stopped, left.signal]);
    try {
      signal.throwIfAborted();
      return await Promise.race([work(signal), rejectedOnce(signal)]);
    } catch (error) {
      stopped.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      console.error(`${name}: attempt ${count} of ${times} failed: ${reason}`);
      if (count === times) throw new AttemptsError(`${name}: ${reason}`, { cause: error });
    } finally {
      clearTimeout(slow);
      left.abort();
    }
  }
}

function rejectedOnce(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
