import { MINUTE_MS } from './time.ts';

const LOG_EVERY_MS = 60 * MINUTE_MS;

/** What is out of reach is tried every few seconds, for days: the first failure is logged, then one an hour. */
export class Outage {
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  /** Whether to log this failure. A yes counts as logged. */
  isDue(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#loggedAtMs < LOG_EVERY_MS) return false;
    this.#loggedAtMs = nowMs;
    return true;
  }

  end(): void {
    this.#loggedAtMs = Number.NEGATIVE_INFINITY;
  }
}
