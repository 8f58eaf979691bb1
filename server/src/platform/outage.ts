import { MINUTE_MS } from './time.ts';

const LOG_EVERY_MS = 60 * MINUTE_MS;

/** What cannot be reached now is asked every few seconds, for days: only its beginning and each hour are logged. */
export class Outage {
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  /** Whether this failure is to be logged, which then counts as done. */
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
