import type { Context } from '../../../context.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import type { QueueTime } from './database-clock.ts';
import type { LeasedDelivery } from './delivery.ts';
import { findWaiting, leaseDeliveries, type LeaseLimits } from './lease-store.ts';
import type { KeyRing } from './signature.ts';

/** What was due so recently is looked at again: its commit may have come after a look. */
const LATE_COMMIT_MS = 500;
/** Once a second further back, because some commits come seconds after the instant that they write. */
const VERY_LATE_COMMIT_MS = 6 * SECOND_MS;
const LOOK_BACK_EVERY_MS = 1 * SECOND_MS;
/** How often the queues are read from their beginning: for later commits still, and what became due in the past. */
const READ_ALL_MS = 5 * SECOND_MS;
/** Reading all takes at most this part of the time, however much a held snapshot makes it read. */
const READ_ALL_SHARE = 1 / 20;

type Needs = KeyRing & Pick<Context, 'db' | 'log'>;

/**
 * The endpoints with due deliveries, as this worker knows them, and since when each one's first is due: what is due
 * before is finished and need not be read again. All of it can be found again in the database.
 */
export class WaitingEndpoints {
  readonly #ctx: Needs;
  readonly #worker: string;
  readonly #time: Pick<QueueTime, 'mono'>;
  readonly #since = new Map<string, Date>();
  #lookedAt: Date | undefined;
  #readAllAgainAt = Number.NEGATIVE_INFINITY;
  #lookBackAt = Number.NEGATIVE_INFINITY;

  constructor(ctx: Needs, worker: string, time: Pick<QueueTime, 'mono'>) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#time = time;
  }

  /** Leases due deliveries within these limits, from the instant at which they are looked for. */
  async lease(clock: () => Date, limits: LeaseLimits): Promise<LeasedDelivery[]> {
    if (this.#time.mono() >= this.#readAllAgainAt) await this.#readAll(clock());
    const now = clock();
    const dueAfter = later(this.#lookedAt ?? now, -this.#backMs());
    const waiting = [...this.#since].map(([endpointId, since]) => ({ endpointId, since }));
    const look = { worker: this.#worker, now, waiting, dueAfter };
    const { leased, seen } = await leaseDeliveries(this.#ctx.db, this.#ctx, look, limits);
    this.#lookedAt = now;
    for (const { endpointId, since } of seen) {
      if (since === null) this.#since.delete(endpointId);
      else this.#since.set(endpointId, since);
    }
    return leased;
  }

  #backMs(): number {
    if (this.#time.mono() < this.#lookBackAt) return LATE_COMMIT_MS;
    this.#lookBackAt = this.#time.mono() + LOOK_BACK_EVERY_MS;
    return VERY_LATE_COMMIT_MS;
  }

  async #readAll(now: Date): Promise<void> {
    const startedAt = this.#time.mono();
    try {
      const found = await findWaiting(this.#ctx.db, now);
      this.#since.clear();
      for (const { endpointId, dueAt } of found) this.#since.set(endpointId, dueAt);
    } catch (error) {
      // What is known is delivered meanwhile.
      if (!this.#lookedAt) throw error;
      this.#ctx.log.warn({ err: error }, 'webhook queues not read from their beginning');
    } finally {
      const endedAt = this.#time.mono();
      this.#readAllAgainAt = endedAt + Math.max(READ_ALL_MS, (endedAt - startedAt) / READ_ALL_SHARE);
    }
  }
}
