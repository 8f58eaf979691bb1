/** How many blocks one question to a provider spans: halved where it is too much, grown where it went well. */
export interface Window {
  readonly blocks: number;
  /** So many were too many. False where it cannot get narrower. */
  narrow(tried: number): boolean;
  /** So many went well. */
  widen(answered: number): void;
}

const FIRST = 500;
const WIDEST = 10_000;
// After so many good answers a width that once failed may be tried again: how much is too much depends on the blocks.
const FORGET_AFTER = 50;

export function createWindow(first = FIRST, widest = WIDEST): Window {
  let blocks = Math.min(first, widest);
  /** The narrowest that failed, and the widest that went well, since the last change of mind. */
  let failing = widest + 1;
  let good = 0;
  let goodAnswers = 0;

  return {
    get blocks() {
      return blocks;
    },
    narrow(tried) {
      goodAnswers = 0;
      if (tried <= 1) return false;
      failing = Math.min(failing, tried);
      if (good >= tried) good = 0;
      blocks = Math.max(1, good, Math.floor(tried / 2));
      if (blocks >= tried) blocks = tried - 1;
      return true;
    },
    widen(answered) {
      goodAnswers += 1;
      if (goodAnswers >= FORGET_AFTER) {
        goodAnswers = 0;
        failing = Math.min(widest + 1, failing * 2);
      }
      // A short step at the head says nothing about wide ones.
      if (answered < blocks) return;
      good = Math.max(good, answered);
      const middle = Math.floor((blocks + failing) / 2);
      if (failing > widest) blocks = Math.min(widest, Math.max(blocks + 1, Math.floor(blocks * 1.5)));
      // The last eighth is not worth the questions that would be refused.
      else if (failing - blocks > Math.max(1, blocks / 8)) blocks = Math.min(middle, Math.floor(blocks * 1.5) + 1);
    },
  };
}
