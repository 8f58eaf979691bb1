import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';

/** The first limit. It is shorter than a process may hold a network's lease without progress, so that it can try another provider. */
const LIMIT_MS = 30 * SECOND_MS;
const LONGEST_MS = 10 * MINUTE_MS;

/**
 * How long one pass's reads may take in all. Many answers that each come just in time must not hold it, and an honest
 * node that takes one call at a time must get through the fullest block, however long that takes: one that needed more
 * than the usual limit needs it for the next block as well.
 */
export class ReadLimit {
  #reachedInARow = 0;
  /** How often the limit of the last read that succeeded was doubled. */
  #doublings = 0;

  /** @param blocks The most that the read may cover. Each failure halves that, until it is one and no smaller read is left. */
  async over<T>(blocks: number, read: (limitMs: number) => Promise<T>): Promise<T> {
    const halvings = Math.ceil(Math.log2(Math.max(1, blocks)));
    const doublings = this.#doublings + Math.max(0, this.#reachedInARow - halvings);
    const [limitMs, startedMs] = [Math.min(LONGEST_MS, LIMIT_MS * 2 ** doublings), performance.now()];
    const tookMs = () => performance.now() - startedMs;
    try {
      const reading = await read(limitMs);
      this.#doublings = Math.max(0, Math.ceil(Math.log2(tookMs() / LIMIT_MS)));
      this.#reachedInARow = 0;
      return reading;
    } catch (error) {
      if (tookMs() >= limitMs) this.#reachedInARow += 1;
      throw error;
    }
  }
}
