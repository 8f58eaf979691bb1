import type { Context } from '../../../context.ts';
import type { Job } from '../../../job.ts';
import type { Database } from '../../../platform/db/db.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import { attemptDelivery } from './attempt.ts';
import { DatabaseClock, type QueueTime, REAL_TIME } from './database-clock.ts';
import { wasDropped } from './delivery.ts';
import { closedEndpoints } from './endpoint-state-store.ts';
import { type FairQueue, Lanes, type Sending } from './lanes.ts';
import { newWorker, releaseDeliveries } from './lease-store.ts';
import { Recorder } from './recorder.ts';
import { WaitingEndpoints } from './waiting.ts';
import { DEAD_AFTER_MS, noteAlive } from './worker-store.ts';

const BEAT_MS = 1 * SECOND_MS;

/** Sends due deliveries: leases them in batches, keeps many in flight, records outcomes in batches. */
export function deliveriesJob(time: QueueTime = REAL_TIME): Job {
  let engine: DeliveryEngine | undefined;
  return {
    name: 'deliveries',
    everyMs: 1 * SECOND_MS,
    channel: 'deliveries',
    async run(ctx, _signal, wake) {
      engine ??= await DeliveryEngine.start(ctx, time, wake);
      return engine.turn();
    },
    async finish() {
      await engine?.finish();
    },
  };
}

const TIDY_MS = 50;

/** Leases, sends and records deliveries. The fair queue decides which is sent next. */
class DeliveryEngine {
  readonly #ctx: Context;
  readonly #time: QueueTime;
  readonly #queue: FairQueue = new Lanes();
  readonly #clock: DatabaseClock;
  readonly #recorder: Recorder;
  readonly #waiting: WaitingEndpoints;
  readonly #heartbeat: Heartbeat;
  #isStartPlanned = false;
  #settled: () => void = () => {};
  #stop: () => Promise<void> = async () => {};
  #stopHeart: () => void = () => {};

  static async start(ctx: Context, time: QueueTime, wake: () => void): Promise<DeliveryEngine> {
    const engine = new DeliveryEngine(ctx, time, wake);
    await engine.#listen();
    return engine;
  }

  private constructor(ctx: Context, time: QueueTime, wake: () => void) {
    this.#ctx = ctx;
    this.#time = time;
    this.#clock = new DatabaseClock(ctx.db, time);
    const worker = newWorker();
    this.#waiting = new WaitingEndpoints(ctx, worker, time);
    this.#heartbeat = new Heartbeat(ctx.db, worker, { time, clock: this.#clock });
    this.#recorder = new Recorder(ctx, time, () => {
      this.#planStart();
      if (this.#queue.wantsMore) wake();
    });
  }

  /** Leases due deliveries and starts them, without waiting for responses. */
  async turn(): Promise<'more' | 'idle'> {
    if (await this.#clock.refresh()) await this.#dropClosed();
    await this.#heartbeat.beat();
    if (this.#heartbeat.isLost) return 'idle';
    const limits = this.#queue.limits();
    if (limits.healthy + limits.probation + limits.slow === 0 || this.#recorder.isFull) return 'idle';
    const leased = await this.#waiting.lease(() => this.#clock.now(), limits);
    this.#queue.add(leased, this.#time.mono());
    this.#start();
    return leased.length > 0 && this.#queue.wantsMore ? 'more' : 'idle';
  }

  /** Leases nothing more, releases what was not started, waits for the rest. */
  async finish(): Promise<void> {
    await this.#stop();
    this.#recorder.release(this.#queue.clear());
    if (!this.#queue.isIdle)
      await new Promise<void>((resolve) => {
        this.#settled = resolve;
      });
    await this.#recorder.finish();
    this.#stopHeart();
  }

  async #listen(): Promise<void> {
    const tidier = this.#time.every(TIDY_MS, () => {
      this.#recorder.release(this.#queue.tidy(this.#time.mono()));
      this.#start();
    });
    const heart = this.#time.every(TIDY_MS, () => {
      // Once it is lost, the next turn begins it again, with the time read afresh.
      if (this.#heartbeat.isLost || this.#heartbeat.isBeating) return;
      this.#heartbeat
        .beat()
        .catch((error) => this.#ctx.log.warn({ err: error }, 'webhook worker could not say that it lives'));
    });
    this.#stopHeart = () => heart.stop();
    const stopListening = await this.#ctx.db.listen('webhook_endpoint_closed', (id) => this.#closeEndpoint(id));
    this.#stop = async () => {
      tidier.stop();
      await stopListening().catch(() => {});
    };
  }

  #start(): void {
    this.#isStartPlanned = false;
    // After a pause, another worker may send these now.
    if (this.#heartbeat.isLost) this.#recorder.release(this.#queue.clear());
    if (this.#recorder.isFull) return;
    this.#queue.start(this.#time.mono(), (sending) => void this.#send(sending));
  }

  /** Many responses arrive in one turn of the event loop; the slots they free are assigned together. */
  #planStart(): void {
    if (this.#isStartPlanned) return;
    this.#isStartPlanned = true;
    setImmediate(() => this.#start());
  }

  async #send(sending: Sending): Promise<void> {
    const { delivery } = sending;
    const result = await attemptDelivery(this.#ctx, delivery, this.#clock.now()).catch((error) => {
      this.#ctx.log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt failed before it was sent');
      return null;
    });
    this.#planStart();
    if (result === null || wasDropped(result)) {
      this.#queue.dropped(sending);
      this.#recorder.release([delivery]);
    } else {
      this.#recorder.add(result, this.#queue.finished(sending, result));
    }
    if (this.#queue.isIdle) this.#settled();
  }

  /** Deliveries in memory are checked each time, in case the signal of a deletion was lost. */
  async #dropClosed(): Promise<void> {
    const waiting = this.#queue.queuedEndpoints;
    if (waiting.length === 0) return;
    for (const { id, deleted } of await closedEndpoints(this.#ctx.db, waiting)) {
      if (deleted) this.#closeEndpoint(id);
      else await releaseDeliveries(this.#ctx.db, this.#queue.clear(id));
    }
  }

  #closeEndpoint(endpointId: string): void {
    if (endpointId === '') return;
    this.#ctx.outbound.drop(endpointId);
    // Their rows were cancelled with the endpoint, so there is nothing to release.
    this.#queue.clear(endpointId);
  }
}

/** Keeps the leases of a living worker, and frees those of dead ones. */
class Heartbeat {
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
