import { ApiError } from './errors.ts';

export interface LineLimits {
  /** Of one line. */
  atOnce: number;
  waiting: number;
  /** Without it, what waits is never refused for the time that it has waited. */
  maxWaitMs?: number;
  /** Of the refusal of what would wait too long. */
  message: string;
  retryAfterSeconds: number;
}

interface Line {
  running: number;
  /** Each function starts one that waits. */
  waiting: Set<() => void>;
}

/**
 * Work that is done a few at a time for each name, such as a network or an account, in the order in which it came. Each
 * name has its own line, so that one that hangs or is flooded delays no other.
 */
export class Lines {
  readonly #limits: LineLimits;
  readonly #lines = new Map<string, Line>();

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? { running: 0, waiting: new Set() };
    this.#lines.set(name, line);
    if (line.running < this.#limits.atOnce) line.running += 1;
    else await this.#waitIn(line);
    try {
      return await work();
    } finally {
      // The next in line takes this place.
      const [next] = line.waiting;
      if (next) next();
      else line.running -= 1;
      if (line.running === 0) this.#lines.delete(name);
    }
  }

  async #waitIn({ waiting }: Line): Promise<void> {
    if (waiting.size >= this.#limits.waiting) this.#refuse();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const start = () => {
      waiting.delete(start);
      resolve(true);
    };
    waiting.add(start);
    const { maxWaitMs } = this.#limits;
    const timer = maxWaitMs === undefined ? undefined : setTimeout(() => resolve(!waiting.delete(start)), maxWaitMs);
    const isStarted = await promise;
    clearTimeout(timer);
    if (!isStarted) this.#refuse();
  }

  #refuse(): never {
    const { message, retryAfterSeconds } = this.#limits;
    throw new ApiError('rate_limited', { message, retryAfterSeconds });
  }
}
