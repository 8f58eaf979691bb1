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
// After so many good answers a width that once failed may be tried again.
const FORGET_AFTER = 50;

export function createWindow(first = FIRST, widest = WIDEST): Window {
  let blocks = first;
  let ceiling = widest;
  let goodAnswers = 0;
  return {
    get blocks() {
      return blocks;
    },
    narrow(tried) {
      goodAnswers = 0;
      if (tried <= 1) return false;
      ceiling = Math.min(ceiling, tried - 1);
      blocks = Math.max(1, Math.floor(tried / 2));
      return true;
    },
    widen(answered) {
      goodAnswers += 1;
      if (goodAnswers >= FORGET_AFTER) {
        goodAnswers = 0;
        ceiling = Math.min(widest, ceiling * 2);
      }
      // A short step at the head says nothing about wide ones.
      if (answered >= blocks) blocks = Math.min(ceiling, Math.max(blocks + 1, Math.floor(blocks * 1.5)));
    },
  };
}
