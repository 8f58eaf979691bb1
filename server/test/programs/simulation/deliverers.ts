import type { Context } from '../../../src/context.ts';
import type { Job } from '../../../src/job.ts';
import type { Outbound } from '../../../src/outside/http/outbound.ts';
import { deliveriesJob } from '../../../src/resources/webhooks/delivery/deliver.ts';
import type { QueueTime } from '../../../src/resources/webhooks/delivery/database-clock.ts';
import { createCrashable, type Crashable } from './crashable.ts';
import type { World } from './world.ts';

/** Processes that deliver webhooks with the real queue, in the world's time. Each lives until it is killed. */
export interface Deliverers {
  /** One of them looks for due deliveries; its sends continue afterwards. */
  turn(place: number, fate: { diesAfter?: number; pausesAfter?: number }): Promise<string>;
  /** Time has passed: timers fire, and results are recorded. */
  pass(): Promise<void>;
  /** Delivers a signal between processes. */
  hear(channel: string, payload: string): Promise<void>;
  wake(): Promise<string | null>;
  kill(place: number): string;
  readonly sleeping: number;
  end(): void;
}

interface Life {
  crashable: Crashable;
  job: Job;
  ctx: Context;
  outbound: Outbound;
  timers: Set<() => void>;
  sleepers: { until: number; go(): void }[];
  ears: { channel: string; hear(payload: string): void }[];
  /** Signals that arrived while it was paused. */
  missedSignals: [string, string][];
}

export function createDeliverers(
  world: World,
  contextOf: (crashable: Crashable) => Context,
  count: (what: string) => void,
): Deliverers {
  const lives = new Map<number, Life>();
  const never = new AbortController().signal;

  function born(): Life {
    const crashable = createCrashable();
    const outbound = world.receivers.outbound();
    const ctx = contextOf(crashable);
    const life: Life = {
      crashable,
      outbound,
      timers: new Set(),
      sleepers: [],
      ears: [],
      missedSignals: [],
      job: deliveriesJob(timeOf()),
      ctx: {
        ...ctx,
        outbound,
        db: {
          ...ctx.db,
          async listen(channel, hear) {
            const ear = { channel, hear };
            life.ears.push(ear);
            return async () => void life.ears.splice(life.ears.indexOf(ear), 1);
          },
        },
      },
    };
    return life;

    function timeOf(): QueueTime {
      return {
        mono: () => world.monoMs(),
        every(_ms, run) {
          life.timers.add(run);
          return { stop: () => void life.timers.delete(run) };
        },
        pause: (ms) => new Promise((go) => void life.sleepers.push({ until: world.monoMs() + ms, go })),
      };
    }
  }

  function lifeOf(place: number): Life {
    const life = lives.get(place) ?? born();
    lives.set(place, life);
    return life;
  }

  /** Whether it died during its work. */
  function buried(place: number, life: Life): boolean {
    if (!life.crashable.isDead) return false;
    world.receivers.abandon(life.outbound);
    lives.delete(place);
    count('deliverer killed');
    return true;
  }

  const awake = () => [...lives].filter(([, life]) => !life.crashable.isPaused);

  return {
    get sleeping() {
      return [...lives.values()].filter((life) => life.crashable.isPaused).length;
    },
    async turn(place, fate) {
      const life = lifeOf(place);
      const { crashable } = life;
      if (crashable.isPaused) return `deliverer ${place} stands still`;
      crashable.diesAfter = fate.diesAfter ?? Number.POSITIVE_INFINITY;
      crashable.pausesAfter = fate.pausesAfter ?? Number.POSITIVE_INFINITY;
      let found: unknown;
      const outcome = await crashable.outcome(
        life.job
          .run(life.ctx, never, () => {})
          .then(
            (result) => {
              found = result;
            },
            (error: Error) => {
              found = error.name;
            },
          ),
      );
      if (outcome === 'paused') return `deliverer ${place} stands still in the middle`;
      await crashable.quiet();
      return buried(place, life) ? `deliverer ${place} is killed` : `deliverer ${place}: ${found}`;
    },
    async pass() {
      for (const [place, life] of awake()) {
        const due = life.sleepers.filter((one) => one.until <= world.monoMs());
        life.sleepers = life.sleepers.filter((one) => !due.includes(one));
        for (const one of due) one.go();
        for (const ring of [...life.timers]) ring();
        await life.crashable.quiet();
        buried(place, life);
      }
    },
    async hear(channel, payload) {
      for (const [, life] of lives) if (life.crashable.isPaused) life.missedSignals.push([channel, payload]);
      for (const [place, life] of awake()) {
        for (const ear of life.ears.filter((one) => one.channel === channel)) ear.hear(payload);
        await life.crashable.quiet();
        buried(place, life);
      }
    },
    async wake() {
      const sleeper = [...lives].find(([, life]) => life.crashable.isPaused);
      if (!sleeper) return null;
      const [place, life] = sleeper;
      for (const [channel, payload] of life.missedSignals.splice(0))
        for (const ear of life.ears.filter((one) => one.channel === channel)) ear.hear(payload);
      life.crashable.resume();
      await life.crashable.quiet();
      return `deliverer ${place} goes on${buried(place, life) ? ' and is killed' : ''}`;
    },
    kill(place) {
      const life = lives.get(place);
      if (!life) return `there is no deliverer ${place}`;
      life.crashable.kill();
      buried(place, life);
      return `deliverer ${place} is killed with what it had on its way`;
    },
    end() {
      for (const life of lives.values()) life.crashable.kill();
      lives.clear();
    },
  };
}
