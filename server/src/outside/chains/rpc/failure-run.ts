import { MINUTE_MS } from '../../../platform/time.ts';

const MAX_GAP_MS = 2 * MINUTE_MS;

/**
 * Since when every attempt has failed. A success ends the run, and so does a time without attempts: `maxGapMs` is longer than
 * the longest pause between two of them.
 */
export class FailureRun {
  #run: { sinceMs: number; lastMs: number } | null = null;
  readonly #maxGapMs: number;

  constructor(maxGapMs = MAX_GAP_MS) {
    this.#maxGapMs = maxGapMs;
  }

  /** No attempt is made until the end of the pause, however long it is. */
  failed(atMs: number, pausedUntilMs = atMs): void {
    const isOneRun = this.#run !== null && atMs - this.#run.lastMs <= this.#maxGapMs;
    this.#run = { sinceMs: isOneRun && this.#run ? this.#run.sinceMs : atMs, lastMs: pausedUntilMs };
  }

  succeeded(): void {
    this.#run = null;
  }

  /** How long every attempt has failed, in milliseconds; 0 if the last one succeeded or is too long ago. */
  lengthMs(atMs: number): number {
    return !this.#run || atMs - this.#run.lastMs > this.#maxGapMs ? 0 : Math.max(0, atMs - this.#run.sinceMs);
  }
}
