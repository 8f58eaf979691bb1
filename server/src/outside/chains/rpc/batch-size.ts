const MAX_CALLS = 20;
/** After this many answered requests more calls are tried; after each refusal twice as many. */
const ANSWERS_UNTIL_MORE = 30;
const MAX_ANSWERS_UNTIL_MORE = 960;
/** A rate limit is a matter of pace. So many in a row are of a provider that counts each call, and takes fewer at a time. */
export const LIMITS_UNTIL_FEWER = 3;

/** How many calls a provider takes in one request: fewer after a refusal, and carefully more while it answers. */
export class BatchSize {
  #calls = MAX_CALLS;
  #answers = 0;
  #untilMore = ANSWERS_UNTIL_MORE;
  /** The rate limits that requests of as many calls have met in a row. */
  #limited = { calls: 0, times: 0 };

  get calls(): number {
    return this.#calls;
  }

  answered(calls: number): void {
    if (calls >= this.#limited.calls) this.#limited = { calls: 0, times: 0 };
    this.#answers += 1;
    if (this.#calls === MAX_CALLS || this.#answers < this.#untilMore) return;
    this.#answers = 0;
    this.#calls = Math.min(MAX_CALLS, this.#calls * 2);
    this.#untilMore = Math.max(ANSWERS_UNTIL_MORE, this.#untilMore / 2);
  }

  refused(): void {
    this.#calls = Math.max(1, Math.floor(this.#calls / 4));
    this.#answers = 0;
    this.#untilMore = Math.min(MAX_ANSWERS_UNTIL_MORE, this.#untilMore * 2);
  }

  limited(calls: number): void {
    this.#limited = { calls, times: this.#limited.times + 1 };
    if (this.#limited.times < LIMITS_UNTIL_FEWER) return;
    this.#limited = { calls: 0, times: 0 };
    this.refused();
  }
}
