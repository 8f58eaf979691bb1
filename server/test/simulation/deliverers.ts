import type { Context } from '../../src/context.ts';
import type { Job } from '../../src/job.ts';
import type { Outbound } from '../../src/outside/http/outbound.ts';
import { deliveriesJob } from '../../src/resources/webhooks/delivery/deliver.ts';
import type { QueueTime } from '../../src/resources/webhooks/delivery/queue-time.ts';
import { createMortal, type Mortal } from './mortal.ts';
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
  mortal: Mortal;
  job: Job;
  ctx: Context;
  outbound: Outbound;
  timers: Set<() => void>;
  sleepers: { until: number; go(): void }[];
  ears: { channel: string; hear(payload: string): void }[];
  /** Signals that arrived while it was paused. */
  unheard: [string, string][];
}

export function createDeliverers(
  world: World,
  contextOf: (mortal: Mortal) => Context,
  count: (what: string) => void,
): Deliverers {
  const lives = new Map<number, Life>();
  const never = new AbortController().signal;

  function born(): Life {
    const mortal = createMortal();
    const outbound = world.receivers.outbound();
    const ctx = contextOf(mortal);
    const life: Life = {
      mortal,
      outbound,
      timers: new Set(),
      sleepers: [],
      ears: [],
      unheard: [],
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
    if (!life.mortal.isDead) return false;
    world.receivers.abandon(life.outbound);
    lives.delete(place);
    count('deliverer killed');
    return true;
  }

  const awake = () => [...lives].filter(([, life]) => !life.mortal.isPaused);

  return {
    get sleeping() {
      return [...lives.values()].filter((life) => life.mortal.isPaused).length;
    },
    async turn(place, fate) {
      const life = lifeOf(place);
      const { mortal } = life;
      if (mortal.isPaused) return `deliverer ${place} stands still`;
      mortal.diesAfter = fate.diesAfter ?? Number.POSITIVE_INFINITY;
      mortal.pausesAfter = fate.pausesAfter ?? Number.POSITIVE_INFINITY;
      let found: unknown;
      const outcome = await mortal.outcome(
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
      await mortal.quiet();
      return buried(place, life) ? `deliverer ${place} is killed` : `deliverer ${place}: ${found}`;
    },
    async pass() {
      for (const [place, life] of awake()) {
        const due = life.sleepers.filter((one) => one.until <= world.monoMs());
        life.sleepers = life.sleepers.filter((one) => !due.includes(one));
        for (const one of due) one.go();
        for (const ring of [...life.timers]) ring();
        await life.mortal.quiet();
        buried(place, life);
      }
    },
    async hear(channel, payload) {
      for (const [, life] of lives) if (life.mortal.isPaused) life.unheard.push([channel, payload]);
      for (const [place, life] of awake()) {
        for (const ear of life.ears.filter((one) => one.channel === channel)) ear.hear(payload);
        await life.mortal.quiet();
        buried(place, life);
      }
    },
    async wake() {
      const sleeper = [...lives].find(([, life]) => life.mortal.isPaused);
      if (!sleeper) return null;
      const [place, life] = sleeper;
      for (const [channel, payload] of life.unheard.splice(0))
        for (const ear of life.ears.filter((one) => one.channel === channel)) ear.hear(payload);
      life.mortal.resume();
      await life.mortal.quiet();
      return `deliverer ${place} goes on${buried(place, life) ? ' and is killed' : ''}`;
    },
    kill(place) {
      const life = lives.get(place);
      if (!life) return `there is no deliverer ${place}`;
      life.mortal.kill();
      buried(place, life);
      return `deliverer ${place} is killed with what it had on its way`;
    },
    end() {
      for (const life of lives.values()) life.mortal.kill();
      lives.clear();
    },
  };
}
