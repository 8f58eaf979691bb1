const MAX_CALLS = 20;
/** After this many answered requests more calls are tried; after each refusal twice as many. */
const ANSWERS_UNTIL_MORE = 30;
const MAX_ANSWERS_UNTIL_MORE = 960;
/** A rate limit is a matter of pace. This many in a row come from a provider that counts each call, and takes fewer. */
export const LIMITS_UNTIL_FEWER = 3;

const TAKEN = /batch.*?(?:limit|maximum|more than|at most)\D*(\d+)/i;

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

  /** A request of this many calls was refused, perhaps with the number that is taken. */
  refused(calls: number, answer?: unknown): void {
    const tried = Math.min(this.#calls, calls);
    const taken = takenIn(answer);
    this.#calls = Math.max(1, taken > 0 && taken < tried ? taken : Math.floor(tried / 4));
    this.#answers = 0;
    this.#untilMore = Math.min(MAX_ANSWERS_UNTIL_MORE, this.#untilMore * 2);
  }

  limited(calls: number): void {
    this.#limited = { calls, times: this.#limited.times + 1 };
    if (this.#limited.times < LIMITS_UNTIL_FEWER) return;
    this.#limited = { calls: 0, times: 0 };
    this.refused(calls);
  }
}

/** The number that a refusal names, such as "Batch size 20 exceeds the limit of 10", or names beside its message. */
function takenIn(answer: unknown): number {
  const { message, data } = (answer as { error?: { message?: unknown; data?: unknown } } | undefined)?.error ?? {};
  const text = [message, data].filter((one) => typeof one === 'string').join(' ');
  return Number(TAKEN.exec(text.slice(0, 200))?.[1] ?? 0);
}
