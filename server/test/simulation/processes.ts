import type { Context } from '../../src/context.ts';
import { RETRY_DELAYS_MS } from '../../src/resources/webhooks/delivery/schedule.ts';
import { parkingJob } from '../../src/resources/webhooks/delivery/parking.ts';
import { expiryJob } from '../../src/settlement/outcome/expire.ts';
import { routesJob } from '../../src/resources/routed-payments/follow.ts';
import { ratesJob } from '../../src/settlement/outcome/sample-rates.ts';
import { claimsJob } from '../../src/settlement/attribution/verify-claims.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { createWatcher, tick, type Watcher } from '../../src/watch.ts';
import { askAgain, choose, merchantActs, openCheckout, submitTransaction, sendMoney } from './customers.ts';
import { createDeliverers } from './deliverers.ts';
import { inspectObjects, changeEndpoints, changeKeys } from './merchants.ts';
import { createCrashable, type Crashable } from './crashable.ts';
import { injectFault, outage } from './provider-faults.ts';
import { crowd, disturb } from './strangers.ts';
import type { SimNetwork, World } from './world.ts';

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const WATCHERS = 2;
const DELIVERERS = 2;

export interface Processes {
  deck: [string, () => Promise<string>][];
  /** Runs every process once, without faults. True if there was something to do. */
  runAll(round: number): Promise<boolean>;
  /** Delivers the signals between processes. */
  hear(): Promise<void>;
  pass(seconds: number): Promise<string>;
  end(): void;
}

/** The processes of the service, and their faults. */
export function createProcesses(world: World, counts: Record<string, number>): Processes {
  const { random } = world;
  const watchers = new Map<string, Watcher>();
  const paused: { who: string; crashable: Crashable; work: Promise<unknown> }[] = [];
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let born = 0;

  /** A process keeps the same chain object for its whole life, as in the service. */
  const livesOfChains = new Map<string, { crashable: Crashable; chains: Map<SimNetwork, Chain> }>();

  function chainsOf(who: string, crashable: Crashable): Map<SimNetwork, Chain> {
    const life: { crashable: Crashable; chains: Map<SimNetwork, Chain> } = livesOfChains.get(who) ?? {
      crashable,
      chains: new Map(
        NETWORKS.map((network) => [network, through(network, () => life.crashable.chain(world.chains[network].chain))]),
      ),
    };
    life.crashable = crashable;
    livesOfChains.set(who, life);
    return life.chains;
  }

  function contextOf(crashable: Crashable, who = 'worker'): Context {
    const { ctx } = world;
    return {
      ...ctx,
      db: crashable.database(ctx.db),
      chains: chainsOf(who, crashable),
      routers: [crashable.router(world.router.router)],
    };
  }

  /** Part of a process's work, during which it may die or pause. */
  async function runProcess(who: string, work: (ctx: Context) => Promise<unknown>, isSafe = false): Promise<string> {
    if (paused.some((one) => one.who === who)) return `${who} stands still`;
    const crashable = createCrashable(
      !isSafe && random.chance(0.12) ? random.between(1, 80) : undefined,
      !isSafe && paused.length < 3 && random.chance(0.1) ? random.between(1, 25) : undefined,
    );
    let ended: unknown;
    const working = work(contextOf(crashable, who)).then(
      (result) => {
        ended = result;
      },
      (error: Error) => {
        ended = error.name;
      },
    );
    if ((await crashable.outcome(working)) === 'paused') {
      paused.push({ who, crashable, work: working });
      count('paused');
      return `${who} stands still in the middle`;
    }
    if (crashable.isDead) {
      discardProcess(who);
      count('killed');
      return `${who} is killed`;
    }
    return `${who}: ${ended}`;
  }

  /** Its state is lost; the next life of a watcher starts without heads and records of providers. */
  function discardProcess(who: string): void {
    livesOfChains.delete(who);
    // If the liar is alone, the time since the other provider answered is kept.
    if (!watchers.delete(who) || world.isLiarAlone) return;
    for (const network of NETWORKS) if (who.endsWith(network)) world.chains[network].restart();
  }

  function watch(network: SimNetwork, place: number, isSafe = false): Promise<string> {
    const who = `watcher ${place} of ${network}`;
    const watcher = watchers.get(who) ?? createWatcher(`${who}, life ${++born}`);
    watchers.set(who, watcher);
    return runProcess(who, (ctx) => tick(ctx, network, watcher), isSafe);
  }

  const idle = () => {};
  const expire = (isSafe?: boolean) =>
    runProcess(
      `expiry ${random.between(1, 2)}`,
      (ctx) => expiryJob.run(ctx, new AbortController().signal, idle),
      isSafe,
    );
  const follow = (isSafe?: boolean) =>
    runProcess(
      `routes ${random.between(1, 2)}`,
      (ctx) => routesJob.run(ctx, new AbortController().signal, idle),
      isSafe,
    );
  const sample = (isSafe?: boolean) =>
    runProcess('rates', (ctx) => ratesJob.run(ctx, new AbortController().signal, idle), isSafe);
  const claim = (isSafe?: boolean) =>
    runProcess('claims', (ctx) => claimsJob.run(ctx, new AbortController().signal, idle), isSafe);
  const park = (isSafe?: boolean) =>
    runProcess('parking', (ctx) => parkingJob.run(ctx, new AbortController().signal, idle), isSafe);
  const deliverers = createDeliverers(world, contextOf, count);
  const deliver = () =>
    deliverers.turn(random.between(1, DELIVERERS), {
      ...(random.chance(0.12) && { diesAfter: random.between(1, 30) }),
      ...(random.chance(0.08) && deliverers.sleeping === 0 && { pausesAfter: random.between(1, 12) }),
    });

  async function hear(): Promise<void> {
    for (const [channel, payload] of world.signals.splice(0))
      if (channel === 'webhook_endpoint_closed') await deliverers.hear(channel, payload);
  }

  async function pass(seconds: number): Promise<string> {
    world.pass(seconds);
    await deliverers.pass();
    return `${seconds} s pass`;
  }

  /** One endpoint never answers well for a long time, so that it uses up its attempts and is disabled. */
  async function failEndpoint(): Promise<string> {
    world.receivers.failingEndpoint = random.pick(
      [...world.receivers.endpoints.values()].filter(({ deletedAt }) => deletedAt === null),
    ).id;
    for (const delayMs of [0, ...RETRY_DELAYS_MS]) {
      await pass(Math.ceil((delayMs * 1.03) / 1000) + 15);
      for (let turns = 0; turns < 4; turns += 1) {
        await deliverers.turn(1 + (turns % DELIVERERS), {});
        await pass(1);
      }
    }
    const { failingEndpoint } = world.receivers;
    world.receivers.failingEndpoint = null;
    const [endpoint] = await world.ctx.db.query<{ status: string }>(
      'sim_status_of',
      'select status from webhook_endpoints where id = $1',
      [failingEndpoint],
    );
    if (endpoint?.status === 'disabled') count('endpoint disabled');
    return `a night in which ${failingEndpoint} hears nothing, and is ${endpoint?.status}`;
  }

  async function wake(): Promise<string> {
    const one = paused.splice(random.between(0, Math.max(0, paused.length - 1)), 1)[0];
    if (!one) return (await deliverers.wake()) ?? 'nobody stands still';
    if (random.chance(0.25)) {
      one.crashable.kill();
      discardProcess(one.who);
      await one.work;
      return `${one.who} never wakes up`;
    }
    one.crashable.resume();
    await one.crashable.outcome(one.work);
    return `${one.who} goes on${one.crashable.isDead ? ' and is killed' : ''}`;
  }

  async function fork(): Promise<string> {
    const network = random.pick(NETWORKS);
    const ledger = world.ledgers[network];
    // Blocks that were once final are never replaced, even if the head is lower now.
    const deepest = Math.min(world.deepest - (ledger.highest - (ledger.blocks.length - 1)), ledger.blocks.length - 1);
    const depth = random.chance(0.3) ? deepest : Math.min(random.between(1, 12), deepest);
    if (depth < 1) return 'there is nothing to fork yet';
    ledger.reorganise(depth);
    world.chains[network].sync();
    world.touched.add('transfers');
    return `${network} forks ${depth} deep`;
  }

  async function passTime(): Promise<string> {
    return pass(random.chance(0.05) ? random.between(600, 5_000) : random.between(5, 180));
  }

  const weights: [number, string, () => Promise<string>][] = [
    [18, 'watch', () => watch(random.pick(NETWORKS), random.between(1, WATCHERS))],
    [12, 'time', passTime],
    [7, 'open', () => openCheckout(world)],
    [
      3,
      'choose',
      async () => (world.checkouts.length > 0 ? choose(world, random.pick(world.checkouts)) : 'nobody chooses'),
    ],
    [12, 'pay', () => sendMoney(world)],
    [3, 'point', () => submitTransaction(world)],
    [2, 'merchant', () => merchantActs(world)],
    [6, 'expiry', () => expire()],
    [4, 'routes', () => follow()],
    [2, 'rates', () => sample()],
    [8, 'deliver', deliver],
    [3, 'moment', () => pass(random.pick([0.1, 0.4, 1.2, 12]))],
    [1, 'strike', async () => deliverers.kill(random.between(1, DELIVERERS))],
    [1, 'parking', () => park()],
    [0.3, 'night', failEndpoint],
    [3, 'again', () => askAgain(world)],
    [2, 'endpoints', () => changeEndpoints(world)],
    [1, 'keys', () => changeKeys(world)],
    [3, 'pry', () => inspectObjects(world)],
    [
      4,
      'provider',
      async () => {
        world.router.move(world.now);
        return 'the route provider moves';
      },
    ],
    [4, 'fork', fork],
    [4, 'befall', () => injectFault(world)],
    [
      0.4,
      'outage of a provider',
      () =>
        outage(world, async (seconds) => {
          await pass(seconds);
          for (const network of NETWORKS) await watch(network, 1);
        }),
    ],
    [3, 'strangers', () => disturb(world)],
    [0.25, 'crowd', async () => crowd(world)],
    [2, 'claims', () => claim()],
    [3, 'wake', wake],
    [
      1,
      'outage',
      async () => {
        world.prices.isDown = random.chance(0.3);
        world.router.isDown = random.chance(0.2);
        world.receivers.failing = random.pick([0, 0, 0.2, 0.6]);
        world.receivers.hanging = random.pick([0, 0.2, 0.5]);
        return `prices ${world.prices.isDown ? 'are gone' : 'are there'}, the route provider ${world.router.isDown ? 'is down' : 'is up'}, receivers fail ${world.receivers.failing} and hang ${world.receivers.hanging}`;
      },
    ],
  ];

  return {
    deck: weights.flatMap(([weight, name, act]) =>
      Array.from({ length: Math.round(weight * 4) }, (): [string, () => Promise<string>] => [name, act]),
    ),
    async runAll(round) {
      while (paused.length > 0 || deliverers.sleeping > 0) await wake();
      let isBusy = false;
      for (const network of NETWORKS) {
        const became = await watch(network, 1 + (round % WATCHERS), true);
        // A transaction that cannot be stored causes an error, and the process tries again.
        isBusy = became.endsWith(': more') || became.endsWith(': Error') || isBusy;
      }
      for (const work of [expire, follow, sample, park, claim]) await work(true);
      for (let place = 1; place <= DELIVERERS; place += 1) {
        const posts = world.receivers.posts;
        await deliverers.turn(place, {});
        isBusy ||= world.receivers.posts > posts;
      }
      return isBusy;
    },
    hear,
    pass,
    end() {
      for (const { crashable } of paused) crashable.kill();
      deliverers.end();
    },
  };
}

/** A chain that is looked up at each call. */
function through(network: SimNetwork, chain: () => Chain): Chain {
  return {
    network,
    head: (...args) => chain().head(...args),
    block: (...args) => chain().block(...args),
    blockAt: (...args) => chain().blockAt(...args),
    read: (...args) => chain().read(...args),
    check: (...args) => chain().check(...args),
    transaction: (...args) => chain().transaction(...args),
    health: () => chain().health(),
    close: async () => {},
  };
}
