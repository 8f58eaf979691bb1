import { LIMITS_UNTIL_FEWER } from './batch-size.ts';

/** The number of blocks per query: halved when it is too much, grown after success. */
export interface Window {
  readonly blocks: number;
  /** The range was too wide. Returns false if it cannot be narrowed. */
  narrow(tried: number): boolean;
  /**
   * The range failed, perhaps for its width. Half is tried next, and the width is remembered as too wide only if less
   * has succeeded before it fails again: a provider that was down is soon read in wide steps again. Returns false if
   * there is no half.
   */
  doubt(tried: number): boolean;
  /** A rate limit is met, which says nothing about the width unless it meets the same step again and again. */
  isLimitedAgain(): boolean;
  /** The range was successful. */
  widen(answered: number): void;
}

const FIRST = 500;
const WIDEST = 10_000;
// After this many successes a failed width may be tried again: the limit depends on the blocks' content.
const RETRY_WIDER_AFTER = 50;

export function createWindow(first = FIRST, widest = WIDEST): Window {
  let blocks = Math.min(first, widest);
  /** The narrowest failed width and the widest successful one since the last reset. */
  let failing = widest + 1;
  let good = 0;
  let goodAnswers = 0;
  /** While a failure may be due to the width: the width to try, and the widest that has succeeded since. */
  let doubted: { blocks: number; good: number } | null = null;
  let limitsInARow = 0;

  return {
    get blocks() {
      return doubted?.blocks ?? blocks;
    },
    doubt(tried) {
      if (tried <= 1) return false;
      if (!doubted || doubted.good === 0 || tried <= doubted.good) {
        doubted = { blocks: Math.floor(tried / 2), good: 0 };
        return true;
      }
      good = doubted.good;
      return this.narrow(tried);
    },
    narrow(tried) {
      goodAnswers = 0;
      doubted = null;
      if (tried <= 1) return false;
      failing = Math.min(failing, tried);
      if (good >= tried) good = 0;
      blocks = Math.max(1, good, Math.floor(tried / 2));
      if (blocks >= tried) blocks = tried - 1;
      return true;
    },
    isLimitedAgain() {
      limitsInARow = (limitsInARow + 1) % LIMITS_UNTIL_FEWER;
      return limitsInARow === 0;
    },
    widen(answered) {
      limitsInARow = 0;
      if (doubted && answered < blocks) {
        if (answered >= doubted.blocks) doubted = { blocks: Math.min(blocks, answered * 2), good: answered };
        return;
      }
      doubted = null;
      goodAnswers += 1;
      if (goodAnswers >= RETRY_WIDER_AFTER) {
        goodAnswers = 0;
        failing = Math.min(widest + 1, failing * 2);
      }
      // A short step at the head says nothing about wide ones.
      if (answered < blocks) return;
      good = Math.max(good, answered);
      const middle = Math.floor((blocks + failing) / 2);
      if (failing > widest) blocks = Math.min(widest, Math.max(blocks + 1, Math.floor(blocks * 1.5)));
      // Growing by less than an eighth is not worth the rejected queries.
      else if (failing - blocks > Math.max(1, blocks / 8)) blocks = Math.min(middle, Math.floor(blocks * 1.5) + 1);
    },
  };
}
