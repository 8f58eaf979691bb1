import type { Database } from '../../../platform/db/db.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';

/** The clock of the delivery engine; the simulator has its own. */
export interface QueueTime {
  /** Milliseconds of a monotonic clock. */
  mono(): number;
  every(ms: number, run: () => void): { stop(): void };
  pause(ms: number): Promise<void>;
}

export const REAL_TIME: QueueTime = {
  mono: () => performance.now(),
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return { stop: () => clearInterval(timer) };
  },
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

const READ_AGAIN_MS = 1 * SECOND_MS;
const CLOCK_TRIES = 3;

/** The database's time, read once a second and extrapolated in between. */
export class DatabaseClock {
  readonly #db: Database;
  readonly #time: QueueTime;
  #reading = { real: new Date(0), mono: Number.NEGATIVE_INFINITY };

  constructor(db: Database, time: QueueTime) {
    this.#db = db;
    this.#time = time;
  }

  now(): Date {
    return later(this.#reading.real, Math.floor(this.#time.mono() - this.#reading.mono));
  }

  /** Reads the time if the last reading is old. True if it did. */
  async refresh(): Promise<boolean> {
    if (this.#time.mono() - this.#reading.mono < READ_AGAIN_MS) return false;
    this.#reading = await this.#read();
    return true;
  }

  /** The process may have been paused while it waited; an old reading is repeated. */
  async #read(): Promise<{ real: Date; mono: number }> {
    for (let tries = 1; ; tries += 1) {
      const asked = this.#time.mono();
      const real = await this.#db.now();
      const mono = this.#time.mono();
      if (mono - asked < READ_AGAIN_MS || tries === CLOCK_TRIES) return { real, mono };
    }
  }
}
