import { createCaches } from '../../../src/caches.ts';
import type { Context } from '../../../src/context.ts';
import { RETRY_DELAYS_MS } from '../../../src/resources/webhooks/delivery/schedule.ts';
import { parkingJob } from '../../../src/resources/webhooks/delivery/parking.ts';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { routesJobs } from '../../../src/resources/routed-payments/follow.ts';
import { ratesJob } from '../../../src/settlement/outcome/sample-rates.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import type { Job } from '../../../src/job.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import type { Pace } from '../../../src/settlement/watching/rest.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher, type Watcher } from '../../../src/settlement/watching/watcher.ts';
import { askAgain, choose, merchantActs, openCheckout, submitTransaction, sendMoney } from './customers.ts';
import { createDeliverers, type Deliverers } from './deliverers.ts';
import { inspectObjects, changeEndpoints, changeKeys } from './merchants.ts';
import { createCrashable, type Crashable } from './crashable.ts';
import { returnMoney } from './returns.ts';
import { injectFault, outage } from './provider-faults.ts';
import { crowd, disturb } from './strangers.ts';
import type { SimNetwork, World } from './world.ts';

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const WATCHERS = 2;
/** The paces of the service. */
const PACES: Record<SimNetwork, Pace> = {
  ethereum: { restMs: 10 * MINUTE_MS, openMs: 8 * SECOND_MS, secondMs: 30 * SECOND_MS },
  base: { restMs: 2 * MINUTE_MS, openMs: 8 * SECOND_MS, secondMs: 30 * SECOND_MS },
};
const DELIVERERS = 2;
const MAX_TURNS = 40;

const JOBS = { expiry: expiryJob, rates: ratesJob, parking: parkingJob, claims: claimsJob, refunds: refundsJob };
/** Of these, two processes run. */
const JOBS_OF_TWO = new Set(['expiry', 'routes']);

type Act = () => Promise<string>;

/** The processes of the service, and their faults. */
export class Processes {
  readonly deck: [string, Act][];
  readonly #world: World;
  readonly #counts: Record<string, number>;
  readonly #deliverers: Deliverers;
  readonly #watchers = new Map<string, Watcher>();
  readonly #paused: { who: string; crashable: Crashable; work: Promise<unknown> }[] = [];
  /** A process keeps the same chain object for its whole life, as in the service. */
  readonly #livesOfChains = new Map<string, { crashable: Crashable; chains: Map<SimNetwork, Chain> }>();
  /** With what each process remembers of payouts. */
  readonly #lanesOfRoutes = new Map<string, Job[]>();
  #born = 0;

  constructor(world: World, counts: Record<string, number>) {
    this.#world = world;
    this.#counts = counts;
    this.#deliverers = createDeliverers(
      world,
      (crashable) => this.#contextOf(crashable),
      (what) => this.#count(what),
    );
    this.deck = this.#acts().flatMap(([weight, name, act]) =>
      Array.from({ length: Math.round(weight * 4) }, (): [string, Act] => [name, act]),
    );
  }

  /** Runs every process once, without faults. True if there was something to do. */
  async runAll(round: number): Promise<boolean> {
    const { receivers } = this.#world;
    while (this.#paused.length > 0 || this.#deliverers.sleeping > 0) await this.#wake();
    let isBusy = false;
    for (const network of NETWORKS) {
      const became = await this.#watch(network, 1 + (round % WATCHERS), true);
      // A transaction that cannot be stored causes an error, and the process tries again.
      isBusy = became.endsWith(': more') || became.endsWith(': Error') || isBusy;
    }
    for (const name of ['expiry', 'routes', 'rates', 'parking', 'claims', 'refunds'] as const)
      await this.#runJob(name, true);
    for (let place = 1; place <= DELIVERERS; place += 1) {
      const posts = receivers.posts;
      await this.#deliverers.turn(place, {});
      isBusy ||= receivers.posts > posts;
    }
    return isBusy;
  }

  /** Runs every process until nothing is left to do. */
  async runUntilIdle(round: number): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS && ((await this.runAll(round)) || turn < 1); turn += 1) {
      await this.hear();
      await this.pass(0.1);
    }
  }

  /** Delivers the signals between processes. */
  async hear(): Promise<void> {
    for (const [channel, payload] of this.#world.signals.splice(0))
      if (channel === 'webhook_endpoint_closed') await this.#deliverers.hear(channel, payload);
  }

  async pass(seconds: number): Promise<string> {
    this.#world.pass(seconds);
    await this.#deliverers.pass();
    return `${seconds} s pass`;
  }

  end(): void {
    for (const { crashable } of this.#paused) crashable.kill();
    this.#deliverers.end();
  }

  /** The possible events of a step. The order is part of the meaning of a seed. */
  #acts(): [weight: number, name: string, act: Act][] {
    const world = this.#world;
    const { random } = world;
    return [
      [18, 'watch', () => this.#watch(random.pick(NETWORKS), random.between(1, WATCHERS))],
      [12, 'time', () => this.pass(random.chance(0.05) ? random.between(600, 5_000) : random.between(5, 180))],
      [7, 'open', () => openCheckout(world)],
      [
        3,
        'choose',
        async () => (world.checkouts.length > 0 ? choose(world, random.pick(world.checkouts)) : 'no customer chooses'),
      ],
      [12, 'pay', () => sendMoney(world)],
      [3, 'point', () => submitTransaction(world)],
      [2, 'merchant', () => merchantActs(world)],
      [3, 'return', () => returnMoney(world)],
      [2, 'refunds', () => this.#runJob('refunds')],
      [6, 'expiry', () => this.#runJob('expiry')],
      [4, 'routes', () => this.#runJob('routes')],
      [2, 'rates', () => this.#runJob('rates')],
      [8, 'deliver', () => this.#deliver()],
      [3, 'moment', () => this.pass(random.pick([0.1, 0.4, 1.2, 12]))],
      [1, 'strike', async () => this.#deliverers.kill(random.between(1, DELIVERERS))],
      [1, 'parking', () => this.#runJob('parking')],
      [0.3, 'night', () => this.#failEndpoint()],
      [3, 'again', () => askAgain(world)],
      [2, 'endpoints', () => changeEndpoints(world)],
      [1, 'keys', () => changeKeys(world)],
      [3, 'pry', () => inspectObjects(world)],
      [4, 'provider', async () => this.#moveRouter()],
      [4, 'fork', async () => this.#fork()],
      [4, 'befall', () => injectFault(world)],
      [0.4, 'outage of a provider', () => outage(world, (seconds) => this.#passWatching(seconds))],
      [3, 'strangers', () => disturb(world)],
      [0.25, 'crowd', async () => crowd(world)],
      [2, 'claims', () => this.#runJob('claims')],
      [3, 'wake', () => this.#wake()],
      [1, 'outage', async () => this.#breakOutside()],
    ];
  }

  #watch(network: SimNetwork, place: number, isSafe = false): Promise<string> {
    const who = `watcher ${place} of ${network}`;
    const watcher = this.#watchers.get(who) ?? createWatcher(`${who}, life ${++this.#born}`);
    this.#watchers.set(who, watcher);
    const turn = async (ctx: Context) => {
      const became = await tick(ctx, network, watcher, PACES[network]);
      if (became === 'resting' && !isSafe) this.#count('rested');
      return became;
    };
    return this.#run(who, turn, isSafe);
  }

  #runJob(name: keyof typeof JOBS | 'routes', isSafe?: boolean): Promise<string> {
    const who = JOBS_OF_TWO.has(name) ? `${name} ${this.#world.random.between(1, 2)}` : name;
    const jobs = (ctx: Context) => (name === 'routes' ? this.#lanesOf(who, ctx) : [JOBS[name]]);
    return this.#run(
      who,
      async (ctx) => {
        let found: 'more' | 'idle' = 'idle';
        for (const job of jobs(ctx)) found = await job.run(ctx, new AbortController().signal, () => {});
        return found;
      },
      isSafe,
    );
  }

  #lanesOf(who: string, { routers }: Context): Job[] {
    const lanes = this.#lanesOfRoutes.get(who) ?? routesJobs(routers);
    this.#lanesOfRoutes.set(who, lanes);
    return lanes;
  }

  #deliver(): Promise<string> {
    const { random } = this.#world;
    return this.#deliverers.turn(random.between(1, DELIVERERS), {
      ...(random.chance(0.12) && { diesAfter: random.between(1, 30) }),
      ...(random.chance(0.08) && this.#deliverers.sleeping === 0 && { pausesAfter: random.between(1, 12) }),
    });
  }

  /** Part of a process's work, during which it may die or pause. */
  async #run(who: string, work: (ctx: Context) => Promise<unknown>, isSafe = false): Promise<string> {
    const { random } = this.#world;
    const paused = this.#paused;
    if (paused.some((one) => one.who === who)) return `${who} stands still`;
    const crashable = createCrashable(
      !isSafe && random.chance(0.12) ? random.between(1, 80) : undefined,
      !isSafe && paused.length < 3 && random.chance(0.1) ? random.between(1, 25) : undefined,
    );
    let ended: unknown;
    const working = work(this.#contextOf(crashable, who)).then(
      (result) => {
        ended = result;
      },
      (error: Error) => {
        ended = error.name;
      },
    );
    if ((await crashable.outcome(working)) === 'paused') {
      paused.push({ who, crashable, work: working });
      this.#count('paused');
      return `${who} stands still in the middle`;
    }
    if (crashable.isDead) {
      this.#discard(who);
      this.#count('killed');
      return `${who} is killed`;
    }
    return `${who}: ${ended}`;
  }

  #contextOf(crashable: Crashable, who = 'worker'): Context {
    const { ctx, router } = this.#world;
    return {
      ...ctx,
      caches: createCaches(),
      db: crashable.database(ctx.db),
      chains: this.#chainsOf(who, crashable),
      routers: [crashable.router(router.router)],
    };
  }

  #chainsOf(who: string, crashable: Crashable): Map<SimNetwork, Chain> {
    const { chains } = this.#world;
    const life: { crashable: Crashable; chains: Map<SimNetwork, Chain> } = this.#livesOfChains.get(who) ?? {
      crashable,
      chains: new Map(
        NETWORKS.map((network) => [network, through(network, () => life.crashable.chain(chains[network].chain))]),
      ),
    };
    life.crashable = crashable;
    this.#livesOfChains.set(who, life);
    return life.chains;
  }

  /** Its state is lost; the next life of a watcher starts without heads and records of providers. */
  #discard(who: string): void {
    this.#livesOfChains.delete(who);
    this.#lanesOfRoutes.delete(who);
    // If the liar is alone, the time since the other provider answered is kept.
    if (!this.#watchers.delete(who) || this.#world.isLiarAlone) return;
    for (const network of NETWORKS) if (who.endsWith(network)) this.#world.chains[network].restart();
  }

  async #wake(): Promise<string> {
    const { random } = this.#world;
    const one = this.#paused.splice(random.between(0, Math.max(0, this.#paused.length - 1)), 1)[0];
    if (!one) return (await this.#deliverers.wake()) ?? 'no worker is suspended';
    if (random.chance(0.25)) {
      one.crashable.kill();
      this.#discard(one.who);
      await one.work;
      return `${one.who} never wakes up`;
    }
    one.crashable.resume();
    await one.crashable.outcome(one.work);
    return `${one.who} goes on${one.crashable.isDead ? ' and is killed' : ''}`;
  }

  /** One endpoint never answers well for a long time, so that it uses up its attempts and is disabled. */
  async #failEndpoint(): Promise<string> {
    const { receivers, random, ctx } = this.#world;
    const open = [...receivers.endpoints.values()].filter(({ deletedAt }) => deletedAt === null);
    const failing = random.pick(open).id;
    receivers.failingEndpoint = failing;
    for (const delayMs of [0, ...RETRY_DELAYS_MS]) {
      await this.pass(Math.ceil((delayMs * 1.03) / 1000) + 15);
      for (let turns = 0; turns < 4; turns += 1) {
        await this.#deliverers.turn(1 + (turns % DELIVERERS), {});
        await this.pass(1);
      }
    }
    receivers.failingEndpoint = null;
    const [endpoint] = await ctx.db.query<{ status: string }>(
      'sim_status_of',
      'select status from webhook_endpoints where id = $1',
      [failing],
    );
    if (endpoint?.status === 'disabled') this.#count('endpoint disabled');
    return `a night in which ${failing} hears nothing, and is ${endpoint?.status}`;
  }

  #moveRouter(): string {
    this.#world.router.move(this.#world.now);
    return 'the route provider moves';
  }

  #fork(): string {
    const { random, ledgers, deepest: allowed, chains, touched } = this.#world;
    const network = random.pick(NETWORKS);
    const ledger = ledgers[network];
    // Blocks that were once final are never replaced, even if the head is lower now.
    const deepest = Math.min(allowed - (ledger.highest - (ledger.blocks.length - 1)), ledger.blocks.length - 1);
    const depth = random.chance(0.3) ? deepest : Math.min(random.between(1, 12), deepest);
    if (depth < 1) return 'there is nothing to fork yet';
    ledger.reorg(depth);
    chains[network].sync();
    touched.add('transfers');
    return `${network} forks ${depth} deep`;
  }

  async #passWatching(seconds: number): Promise<void> {
    await this.pass(seconds);
    for (const network of NETWORKS) await this.#watch(network, 1);
  }

  #breakOutside(): string {
    const { random, prices, router, receivers } = this.#world;
    prices.isDown = random.chance(0.3);
    router.isDown = random.chance(0.2);
    receivers.failing = random.pick([0, 0, 0.2, 0.6]);
    receivers.hanging = random.pick([0, 0.2, 0.5]);
    return (
      `prices ${prices.isDown ? 'are gone' : 'are there'}, the route provider ` +
      `${router.isDown ? 'is down' : 'is up'}, receivers fail ${receivers.failing} and hang ${receivers.hanging}`
    );
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }
}

/** A chain that is looked up at each call. */
function through(network: SimNetwork, chain: () => Chain): Chain {
  return {
    network,
    head: (...args) => chain().head(...args),
    block: (...args) => chain().block(...args),
    isHeldByMost: (...args) => chain().isHeldByMost(...args),
    blockAt: (...args) => chain().blockAt(...args),
    read: (...args) => chain().read(...args),
    check: (...args) => chain().check(...args),
    transaction: (...args) => chain().transaction(...args),
    replacements: (...args) => chain().replacements(...args),
    probe: () => chain().probe(),
    health: () => chain().health(),
    close: async () => {},
  };
}
