import type { Database } from '../../../platform/db/db.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import type { QueueTime } from './database-clock.ts';
import type { LeasedDelivery } from './delivery.ts';
import { findWaiting, leaseDeliveries, type LeaseLimits } from './lease-store.ts';
import type { KeyRing } from './signature.ts';

/** What was due so recently is looked at again: its commit may have come after a look. */
const LATE_COMMIT_MS = 500;
/** How often the queues are read from their beginning: for later commits still, and what became due in the past. */
const READ_ALL_MS = 5 * SECOND_MS;
/** Reading all takes at most this part of the time, however much a held snapshot makes it read. */
const READ_ALL_SHARE = 1 / 20;

/**
 * The endpoints with due deliveries, as this worker knows them, and since when each one's first is due: what is due
 * before is finished and need not be read again. All of it can be found again in the database.
 */
export class WaitingEndpoints {
  readonly #ctx: KeyRing & { db: Database };
  readonly #worker: string;
  readonly #time: Pick<QueueTime, 'mono'>;
  readonly #since = new Map<string, Date>();
  #lookedAt: Date | undefined;
  #readAllAgainAt = Number.NEGATIVE_INFINITY;

  constructor(ctx: KeyRing & { db: Database }, worker: string, time: Pick<QueueTime, 'mono'>) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#time = time;
  }

  /** Leases due deliveries within these limits. */
  async lease(now: Date, limits: LeaseLimits): Promise<LeasedDelivery[]> {
    if (this.#time.mono() >= this.#readAllAgainAt) await this.#readAll(now);
    const dueAfter = later(this.#lookedAt ?? now, -LATE_COMMIT_MS);
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

  async #readAll(now: Date): Promise<void> {
    const startedAt = this.#time.mono();
    const found = await findWaiting(this.#ctx.db, now);
    this.#since.clear();
    for (const { endpointId, dueAt } of found) this.#since.set(endpointId, dueAt);
    const endedAt = this.#time.mono();
    this.#readAllAgainAt = endedAt + Math.max(READ_ALL_MS, (endedAt - startedAt) / READ_ALL_SHARE);
  }
}
