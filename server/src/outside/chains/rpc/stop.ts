import { AsyncLocalStorage } from 'node:async_hooks';
import { TemporaryError } from '../../../platform/errors.ts';

/** The work was stopped, and its provider did nothing wrong. */
export class StoppedError extends TemporaryError {}

const running = new AsyncLocalStorage<Stop>();

/** Stops one provider's work between two of its requests: the rest of them would be of no use to anyone. */
export class Stop {
  #why: Error | undefined;
  readonly #ended = Promise.withResolvers<never>();

  get why(): Error | undefined {
    return this.#why;
  }

  /** An answer that is on its way still arrives. The first reason counts. */
  beforeNext(why: Error): void {
    this.#why ??= why;
  }

  /** The work has failed by this, whatever still arrives. */
  now(why: Error): void {
    this.beforeNext(why);
    this.#ended.reject(why);
  }

  /** All requests belong to the work, wherever an adapter sends them from. */
  over<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([running.run(this, work), this.#ended.promise]);
  }
}

/** Throws if the work that the next request belongs to was stopped. */
export function requireWanted(): void {
  const why = running.getStore()?.why;
  if (why) throw why;
}
