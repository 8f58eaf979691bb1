import type { Database } from '../../../platform/db/db.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import type { DatabaseClock, QueueTime } from './database-clock.ts';
import { DEAD_AFTER_MS, noteAlive } from './worker-store.ts';

const BEAT_MS = 1 * SECOND_MS;

/** Keeps the leases of a living worker, and frees those of dead ones. */
export class Heartbeat {
  readonly #db: Database;
  readonly #worker: string;
  readonly #time: QueueTime;
  readonly #clock: DatabaseClock;
  #lastAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> | undefined;

  constructor(db: Database, worker: string, { time, clock }: { time: QueueTime; clock: DatabaseClock }) {
    this.#db = db;
    this.#worker = worker;
    this.#time = time;
    this.#clock = clock;
  }

  /** Whether others may have taken over what this worker has leased. */
  get isLost(): boolean {
    return this.#time.mono() - this.#lastAt >= DEAD_AFTER_MS;
  }

  get isBeating(): boolean {
    return this.#beating !== undefined;
  }

  /** Beats if the last try is a second ago. */
  async beat(): Promise<void> {
    const at = this.#time.mono();
    if (this.#beating) return this.#beating;
    if (at - this.#triedAt < BEAT_MS) return;
    this.#triedAt = at;
    // After an outage living workers look dead too, until they have beaten again.
    const frees = !this.isLost;
    this.#beating = noteAlive(this.#db, this.#worker, { now: this.#clock.now(), frees })
      .then(() => {
        this.#lastAt = at;
      })
      .finally(() => {
        this.#beating = undefined;
      });
    await this.#beating;
  }
}
