import { createShares, type Shares } from './client-share.ts';
import { ApiError } from './errors.ts';
import type { Client } from './http/admission/client.ts';

export interface LineLimits {
  /** Of one line. */
  atOnce: number;
  waiting: number;
  /** The places of one client in a line, while others leave most of it free. Without it, a client may have all. */
  perClient?: number;
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
  places: Shares;
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

  /** `client` is the one whose share of the line it takes; without it, only the line limits. */
  async inTurn<T>(name: string, work: () => Promise<T>, client: Client | null = null): Promise<T> {
    const line = this.#lines.get(name) ?? this.#newLine();
    if (!line.places.acquire(client)) this.#refuse();
    this.#lines.set(name, line);
    try {
      return await this.#runIn(name, line, work);
    } finally {
      line.places.release(client);
    }
  }

  #newLine(): Line {
    const { atOnce, waiting, perClient = Number.POSITIVE_INFINITY } = this.#limits;
    return { running: 0, waiting: new Set(), places: createShares({ limit: atOnce + waiting, perClient }) };
  }

  async #runIn<T>(name: string, line: Line, work: () => Promise<T>): Promise<T> {
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
