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

  /** Beats if the last one is a second ago. */
  async beat(): Promise<void> {
    const at = this.#time.mono();
    if (at - this.#lastAt < BEAT_MS) return;
    this.#beating ??= noteAlive(this.#db, this.#worker, this.#clock.now())
      .then(() => {
        this.#lastAt = at;
      })
      .finally(() => {
        this.#beating = undefined;
      });
    await this.#beating;
  }
}
