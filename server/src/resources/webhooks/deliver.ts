import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { attemptDelivery } from './attempt.ts';
import { claimDeliveries, releaseDeliveries } from './claim.ts';
import { type Attempted, type ClaimedDelivery, type Lane, wasDropped } from './delivery.ts';
import { closedEndpoints, setLanes } from './endpoint-store.ts';
import { Lanes, type Sending } from './lanes.ts';
import { recordAttempts } from './record-attempts.ts';

const TIDY_MS = 50;
/** Attempts made and not yet written down; past this no new ones start, so that a crash repeats few. */
const MAX_UNRECORDED = 1024;
const LOOK_AROUND_MS = 1 * SECOND_MS;
const CLOCK_TRIES = 3;
const RECORD_RETRY_MS = 1 * SECOND_MS;
/** While stopping, a database that does not answer is waited for no longer than this many tries. */
const RECORD_TRIES_AT_END = 3;

/** Time as the queue's own loop lives in it; the simulator has another one. */
export interface QueueTime {
  /** Milliseconds since some moment, never going back. */
  mono(): number;
  every(ms: number, run: () => void): { stop(): void };
  pause(ms: number): Promise<void>;
}

const REAL_TIME: QueueTime = {
  mono: () => performance.now(),
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return { stop: () => clearInterval(timer) };
  },
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Sends what is due: takes deliveries in batches, keeps many on their way at once, writes outcomes down in batches. */
export function deliveriesJob(time: QueueTime = REAL_TIME): Job {
  let engine: Engine | undefined;
  return {
    name: 'deliveries',
    everyMs: 1 * SECOND_MS,
    channel: 'deliveries',
    async run(ctx, _signal, wake) {
      engine ??= await startEngine(ctx, time, wake);
      return engine.turn();
    },
    async finish() {
      await engine?.finish();
    },
  };
}

interface Engine {
  /** Takes what is due and starts it, without waiting for any answer. */
  turn(): Promise<'more' | 'idle'>;
  /** Takes nothing more, gives back what has not begun, waits for the rest. */
  finish(): Promise<void>;
}

async function startEngine(ctx: Context, time: QueueTime, wake: () => void): Promise<Engine> {
  const lanes = new Lanes();
  let attempted: Attempted[] = [];
  let unbegun: ClaimedDelivery[] = [];
  let changedLanes = new Map<string, Lane>();
  let recording: Promise<void> | undefined;
  let isStartPlanned = false;
  let triesAtEnd = Number.POSITIVE_INFINITY;
  let clock = { real: new Date(0), mono: Number.NEGATIVE_INFINITY };
  let settled: () => void = () => {};

  const tidier = time.every(TIDY_MS, () => {
    giveBack(lanes.tidy(time.mono()));
    start();
  });
  const stopHearing = await ctx.db.listen('webhook_endpoint_closed', (endpointId) =>
    closeEndpoint(ctx, lanes, endpointId),
  );

  function start(): void {
    isStartPlanned = false;
    if (attempted.length >= MAX_UNRECORDED) return;
    lanes.start(time.mono(), (sending) => void send(sending));
  }

  /** Many answers arrive in one turn of the event loop; the slots they free are given out together. */
  function planStart(): void {
    if (isStartPlanned) return;
    isStartPlanned = true;
    setImmediate(start);
  }

  /** The database's time, asked for once a second and counted on from there. */
  function now(): Date {
    return later(clock.real, Math.floor(time.mono() - clock.mono));
  }

  async function lookAround(): Promise<void> {
    if (time.mono() - clock.mono < LOOK_AROUND_MS) return;
    clock = await readClock();
    await dropClosed(ctx, lanes);
  }

  /** A process may stand still while it waits for the answer; one that is old by then is asked for again. */
  async function readClock(): Promise<typeof clock> {
    for (let tries = 1; ; tries += 1) {
      const asked = time.mono();
      const real = await ctx.db.now();
      const mono = time.mono();
      if (mono - asked < LOOK_AROUND_MS || tries === CLOCK_TRIES) return { real, mono };
    }
  }

  async function send(sending: Sending): Promise<void> {
    const result = await attemptDelivery(ctx, sending.delivery, now()).catch((error) => {
      ctx.log.error({ err: error, deliveryId: sending.delivery.id }, 'webhook attempt failed before it was sent');
      return null;
    });
    if (result === null || wasDropped(result)) {
      lanes.dropped(sending);
      giveBack([sending.delivery]);
    } else {
      const lane = lanes.finished(sending, result);
      if (lane) changedLanes.set(sending.delivery.endpointId, lane);
      attempted.push(result);
    }
    planStart();
    record();
    if (lanes.isIdle) settled();
  }

  function giveBack(deliveries: ClaimedDelivery[]): void {
    if (deliveries.length === 0) return;
    unbegun.push(...deliveries);
    record();
  }

  /** While one batch is written the next gathers, so that batches grow with the load. */
  function record(): void {
    recording ??= recordAll().finally(() => {
      recording = undefined;
    });
  }

  async function recordAll(): Promise<void> {
    // What arrives in this turn of the event loop still joins.
    await new Promise((resolve) => setImmediate(resolve));
    while (attempted.length > 0 || unbegun.length > 0 || changedLanes.size > 0) {
      const batch = { attempted, unbegun, changedLanes };
      attempted = [];
      unbegun = [];
      changedLanes = new Map();
      try {
        if (batch.changedLanes.size > 0) await setLanes(ctx.db, batch.changedLanes);
        await recordAttempts(ctx, batch.attempted);
        await releaseDeliveries(ctx.db, batch.unbegun);
      } catch (error) {
        // The attempts were made, so they are written down as soon as that is possible again; else their leases run out.
        ctx.log.error({ err: error, attempts: batch.attempted.length }, 'webhook attempts not recorded: retrying');
        attempted = [...batch.attempted, ...attempted];
        triesAtEnd -= 1;
        if (triesAtEnd <= 0) return;
        await time.pause(RECORD_RETRY_MS);
      }
      planStart();
      if (lanes.wantsMore) wake();
    }
  }

  return {
    async turn() {
      await lookAround();
      const limits = lanes.limits();
      if (limits.good + limits.unproven + limits.slow === 0 || attempted.length >= MAX_UNRECORDED) return 'idle';
      const claimed = await claimDeliveries(ctx.db, ctx.secrets, now(), limits);
      lanes.add(claimed, time.mono());
      start();
      return claimed.length > 0 && lanes.wantsMore ? 'more' : 'idle';
    },
    async finish() {
      tidier.stop();
      await stopHearing().catch(() => {});
      giveBack(lanes.clear());
      if (!lanes.isIdle)
        await new Promise<void>((resolve) => {
          settled = resolve;
        });
      triesAtEnd = RECORD_TRIES_AT_END;
      record();
      await recording;
    },
  };
}

/** What waits in memory is looked at again each time, in case word of a deletion did not arrive. */
async function dropClosed(ctx: Context, lanes: Lanes): Promise<void> {
  const waiting = lanes.queuedEndpoints;
  if (waiting.length === 0) return;
  for (const { id, deleted } of await closedEndpoints(ctx.db, waiting)) {
    if (deleted) closeEndpoint(ctx, lanes, id);
    else await releaseDeliveries(ctx.db, lanes.clear(id));
  }
}

function closeEndpoint(ctx: Context, lanes: Lanes, endpointId: string): void {
  if (endpointId === '') return;
  ctx.outbound.drop(endpointId);
  // Their rows were cancelled with the endpoint; there is nothing to give back.
  lanes.clear(endpointId);
}
