import type { Chain } from '../../../src/outside/chains/chain.ts';
import type { Router } from '../../../src/outside/routers/router.ts';
import type { Database } from '../../../src/platform/db/db.ts';

/** The process was killed here. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** A process that can die, or pause, at any await. Once it is dead, nothing that it still tries has any effect. */
export interface Crashable {
  /** Awaits left until it dies, and until it pauses. */
  diesAfter: number;
  pausesAfter: number;
  isDead: boolean;
  isPaused: boolean;
  /** Lets it continue, or never wake up again. */
  resume(): void;
  kill(): void;
  database(db: Database): Database;
  chain(chain: Chain): Chain;
  router(router: Router): Router;
  /** Resolves once the work has ended, or is paused with nothing in progress. */
  outcome(work: Promise<unknown>): Promise<'ended' | 'paused'>;
  /** Resolves once nothing that it started without awaiting is in progress. */
  quiet(): Promise<void>;
}

/** Idle turns of the event loop after which nothing is in progress. */
const CALM_TURNS = 4;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function createCrashable(
  diesAfter = Number.POSITIVE_INFINITY,
  pausesAfter = Number.POSITIVE_INFINITY,
): Crashable {
  let wake: (() => void)[] = [];
  let underWay = 0;
  let waiting: (() => void)[] = [];

  function live(): void {
    if (crashable.isDead) throw new KilledError();
    crashable.diesAfter -= 1;
    if (crashable.diesAfter > 0) return;
    crashable.isDead = true;
    throw new KilledError();
  }

  /** Before anything outside an open transaction: here it can pause without blocking others. */
  async function begin(): Promise<void> {
    live();
    crashable.pausesAfter -= 1;
    if (crashable.pausesAfter <= 0) crashable.isPaused = true;
    if (!crashable.isPaused) return;
    await new Promise<void>((resolve) => {
      wake.push(resolve);
      tell();
    });
    live();
  }

  async function through<T>(work: () => Promise<T>): Promise<T> {
    await begin();
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
      tell();
      // The answer is lost with the caller.
      live();
    }
  }

  function tell(): void {
    if (underWay > 0) return;
    const woken = waiting;
    waiting = [];
    for (const one of woken) one();
  }

  const change = () => new Promise<void>((resolve) => void waiting.push(resolve));
  const standsStill = () => crashable.isPaused && underWay === 0 && wake.length > 0;

  const crashable: Crashable = {
    diesAfter,
    pausesAfter,
    isDead: false,
    isPaused: false,
    resume() {
      crashable.isPaused = false;
      crashable.pausesAfter = Number.POSITIVE_INFINITY;
      const sleeping = wake;
      wake = [];
      for (const one of sleeping) one();
    },
    kill() {
      crashable.isDead = true;
      crashable.resume();
    },
    database: (db) => ({
      ...db,
      now: () => through(() => db.now()),
      query: (...args) => through(() => db.query(...args)) as never,
      transaction: (work) =>
        through(() =>
          db.transaction(async (inner) => {
            const result = await work({
              ...inner,
              query: async (...args) => {
                live();
                return inner.query(...args) as never;
              },
            });
            live();
            return result;
          }),
        ),
    }),
    chain: (chain) => ({
      ...chain,
      head: (...args) => through(() => chain.head(...args)),
      block: (...args) => through(() => chain.block(...args)),
      blockAt: (...args) => through(() => chain.blockAt(...args)),
      read: (...args) => through(() => chain.read(...args)),
      check: (...args) => through(() => chain.check(...args)),
      transaction: (...args) => through(() => chain.transaction(...args)),
      probe: () => through(() => chain.probe()),
      replacements: (...args) => through(() => chain.replacements(...args)),
    }),
    router: (router) => ({
      ...router,
      order: (...args) => through(() => router.order(...args)),
      progress: (...args) => through(() => router.progress(...args)),
    }),
    async outcome(work) {
      let ended = false;
      const settled = work.then(
        () => {
          ended = true;
        },
        () => {
          ended = true;
        },
      );
      for (;;) {
        if (crashable.isPaused) for (let calm = 0; calm < CALM_TURNS && !ended; calm += 1) await turn();
        if (ended) return 'ended';
        if (standsStill()) return 'paused';
        await Promise.race([settled, change()]);
      }
    },
    async quiet() {
      for (let calm = 0; calm < CALM_TURNS; calm += 1) {
        await turn();
        if (underWay === 0) continue;
        calm = -1;
        await change();
      }
    },
  };
  return crashable;
}
