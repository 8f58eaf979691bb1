import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';

/** Shorter than a process may hold a network's lease without progress, so that it can try another provider. */
const LIMIT_MS = 30 * SECOND_MS;
/** By then each failure has halved the blocks of the next read down to one, and no smaller read is left. */
const LIMITS_UNTIL_LONGER = 14;
const LONGEST_MS = 10 * MINUTE_MS;

/**
 * How long one pass's reads may take in all. Many answers that each come just in time must not hold it, and an honest
 * node that takes one call at a time must get through the fullest block, however long that takes: one that needed more
 * than the usual limit needs it for the next block as well.
 */
export class ReadLimit {
  #reachedInARow = 0;

  async over<T>(read: (limitMs: number) => Promise<T>): Promise<T> {
    const doublings = Math.max(0, this.#reachedInARow - LIMITS_UNTIL_LONGER);
    const [limitMs, startedMs] = [Math.min(LONGEST_MS, LIMIT_MS * 2 ** doublings), performance.now()];
    const tookMs = () => performance.now() - startedMs;
    try {
      const reading = await read(limitMs);
      const needed = Math.ceil(Math.log2(tookMs() / LIMIT_MS));
      this.#reachedInARow = needed > 0 ? LIMITS_UNTIL_LONGER + needed : 0;
      return reading;
    } catch (error) {
      if (tookMs() >= limitMs) this.#reachedInARow += 1;
      throw error;
    }
  }
}
