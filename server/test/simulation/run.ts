import { createHash } from 'node:crypto';
import type { Context } from '../../src/context.ts';
import { randomBase62 } from '../../src/platform/ids.ts';
import { RETRY_DELAYS_MS } from '../../src/resources/webhooks/schedule.ts';
import { parkingJob } from '../../src/resources/webhooks/park.ts';
import { expiryJob } from '../../src/resources/payments/expire.ts';
import { routesJob } from '../../src/resources/payments/follow-routes.ts';
import { ratesJob } from '../../src/resources/payments/sample-rates.ts';
import { createWatcher, tick, type Watcher } from '../../src/watch.ts';
import { takeOver } from './chance.ts';
import { askAgain, choose, merchantActs, openCheckout, pointAt, sendMoney } from './customers.ts';
import { createDeliverers } from './deliverers.ts';
import type { Eyes } from './eyes.ts';
import { findLosses, findViolations } from './invariants.ts';
import { askForEverything, pry, tendEndpoints, tendKeys } from './merchants.ts';
import { createMortal, type Mortal } from './mortal.ts';
import { createWorld, type SimNetwork, type Sockets, type World } from './world.ts';

export interface Outcome {
  seed: number;
  steps: number;
  /** What did not hold, after which step. */
  violation: { step: number; what: string[]; story: string[] } | null;
  counts: Record<string, number>;
  /** Stands for everything that happened: the same seed has the same one. */
  trace: string;
}

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const WATCHERS = 2;
const DELIVERERS = 2;
const STORY_LINES = 400;
const HEALING_ROUNDS = 9;

/** One run: so many steps by chance from one seed, then everything is healed and a day passes. */
export async function run(sockets: Sockets, eyes: Eyes, seed: number, steps: number): Promise<Outcome> {
  let world: World | undefined;
  const giveBack = takeOver(seed, () => world?.monoMs() ?? 0, () => void randomBase62(1));
  const story: string[] = [];
  const counts: Record<string, number> = {};
  const trace = createHash('sha256');
  const tell = (line: string) => {
    story.push(line);
    trace.update(`${line}\n`);
    if (story.length > STORY_LINES) story.shift();
  };
  const end = (step: number, what: string[]): Outcome => ({
    seed, steps: step, counts, trace: trace.copy().digest('hex'), violation: what.length > 0 ? { step, what, story } : null,
  });
  let staff: Staff | undefined;
  let step = 0;
  try {
    eyes.prints.clear();
    eyes.ended.clear();
    world = await createWorld(sockets, seed);
    staff = createStaff(world, counts);
    for (step = 1; step <= steps; step += 1) {
      const [name, act] = world.random.pick(staff.deck);
      counts[name] = (counts[name] ?? 0) + 1;
      tell(`${step} ${world.now.toISOString().slice(11, 19)} ${await act()}`);
      await staff.hear();
      const what = await findViolations(world, eyes);
      if (what.length === 0) continue;
      story.push(...await recordsOf(world, what));
      return end(step, what);
    }
    await heal(world, staff);
    counts.posts = world.receivers.posts;
    world.touched.add('anything');
    const what = [...await findViolations(world, eyes), ...await findLosses(world, eyes)];
    if (what.length > 0) story.push(...await recordsOf(world, what));
    return end(steps, what.map((one) => `after healing: ${one}`));
  } catch (error) {
    story.push(String((error as Error).stack));
    return end(step, [`the simulator met an error: ${(error as Error).message}`]);
  } finally {
    staff?.end();
    giveBack();
    sockets.world.current = null;
  }
}

/** What the service has written down of the payments that a violation names. */
async function recordsOf(world: World, what: readonly string[]): Promise<string[]> {
  const ids = what.flatMap((one) => [...one.matchAll(/pay_[0-9A-Za-z]{24}/g)].map(([id]) => id));
  const hashes = what.flatMap((one) => [...one.matchAll(/0x[0-9a-f]{64}/g)].map(([hash]) => hash));
  const rows = await world.ctx.db.query<{ line: string }>('sim_records', `
    select to_jsonb(p)::text as line from payments p where p.id = any($1)
    union all select to_jsonb(s)::text from payment_states s where s.payment_id = any($1)
    union all select to_jsonb(o)::text from route_orders o where o.payment_id = any($1)
    union all select to_jsonb(g)::text from payment_targets g where g.payment_id = any($1)
    union all select to_jsonb(t)::text from transfers t where t.payment_id = any($1) or t.near_payment_id = any($1) or t.tx_hash = any($2)
    union all select to_jsonb(c)::text from chain_cursors c`, [ids, hashes]);
  return rows.map((row) => row.line);
}

interface Staff {
  deck: [string, () => Promise<string>][];
  /** Everybody once, alive and well. True where there was something to do. */
  everybody(round: number): Promise<boolean>;
  /** What processes told each other arrives. */
  hear(): Promise<void>;
  pass(seconds: number): Promise<string>;
  end(): void;
}

/** The processes of the service, and everything that befalls them. */
function createStaff(world: World, counts: Record<string, number>): Staff {
  const { random } = world;
  const watchers = new Map<string, Watcher>();
  const paused: { who: string; mortal: Mortal; work: Promise<unknown> }[] = [];
  const count = (what: string) => { counts[what] = (counts[what] ?? 0) + 1; };
  let born = 0;

  function contextOf(mortal: Mortal): Context {
    const { ctx } = world;
    return {
      ...ctx,
      db: mortal.database(ctx.db),
      chains: new Map(NETWORKS.map((network) => [network, mortal.chain(world.chains[network].chain)])),
      routers: [mortal.router(world.router.router)],
    };
  }

  /** Some of its work, during which it may die or stand still. */
  async function employ(who: string, work: (ctx: Context) => Promise<unknown>, isSafe = false): Promise<string> {
    if (paused.some((one) => one.who === who)) return `${who} stands still`;
    const mortal = createMortal(
      !isSafe && random.chance(0.12) ? random.between(1, 80) : undefined,
      !isSafe && paused.length < 3 && random.chance(0.1) ? random.between(1, 25) : undefined,
    );
    let ended: unknown;
    const working = work(contextOf(mortal)).then((result) => { ended = result; }, (error: Error) => { ended = error.name; });
    if (await mortal.outcome(working) === 'paused') {
      paused.push({ who, mortal, work: working });
      count('paused');
      return `${who} stands still in the middle`;
    }
    if (mortal.isDead) {
      watchers.delete(who);
      count('killed');
      return `${who} is killed`;
    }
    return `${who}: ${ended}`;
  }

  function watch(network: SimNetwork, place: number, isSafe = false): Promise<string> {
    const who = `watcher ${place} of ${network}`;
    const watcher = watchers.get(who) ?? createWatcher(`${who}, life ${++born}`);
    watchers.set(who, watcher);
    return employ(who, (ctx) => tick(ctx, network, watcher), isSafe);
  }

  const idle = () => {};
  const expire = (isSafe?: boolean) => employ(`expiry ${random.between(1, 2)}`, (ctx) => expiryJob.run(ctx, new AbortController().signal, idle), isSafe);
  const follow = (isSafe?: boolean) => employ(`routes ${random.between(1, 2)}`, (ctx) => routesJob.run(ctx, new AbortController().signal, idle), isSafe);
  const sample = (isSafe?: boolean) => employ('rates', (ctx) => ratesJob.run(ctx, new AbortController().signal, idle), isSafe);
  const park = (isSafe?: boolean) => employ('parking', (ctx) => parkingJob.run(ctx, new AbortController().signal, idle), isSafe);
  const deliverers = createDeliverers(world, contextOf, count);
  const deliver = () => deliverers.turn(random.between(1, DELIVERERS), {
    ...(random.chance(0.12) && { diesAfter: random.between(1, 30) }),
    ...(random.chance(0.08) && deliverers.sleeping === 0 && { pausesAfter: random.between(1, 12) }),
  });

  async function hear(): Promise<void> {
    for (const [channel, payload] of world.signals.splice(0)) if (channel === 'webhook_endpoint_closed') await deliverers.hear(channel, payload);
  }

  async function pass(seconds: number): Promise<string> {
    world.pass(seconds);
    await deliverers.pass();
    return `${seconds} s pass`;
  }

  /** One endpoint answers nothing well for a long time, so that it uses up its attempts and is disabled. */
  async function longNight(): Promise<string> {
    world.receivers.deaf = random.pick([...world.receivers.endpoints.keys()]);
    for (const delayMs of [0, ...RETRY_DELAYS_MS]) {
      await pass(Math.ceil(delayMs * 1.03 / 1000) + 15);
      for (let turns = 0; turns < 3; turns += 1) {
        await deliver();
        await pass(1);
      }
    }
    const { deaf } = world.receivers;
    world.receivers.deaf = null;
    return `a night in which ${deaf} hears nothing`;
  }

  async function wake(): Promise<string> {
    const one = paused.splice(random.between(0, Math.max(0, paused.length - 1)), 1)[0];
    if (!one) return await deliverers.wake() ?? 'nobody stands still';
    if (random.chance(0.25)) {
      one.mortal.kill();
      watchers.delete(one.who);
      await one.work;
      return `${one.who} never wakes up`;
    }
    one.mortal.resume();
    await one.mortal.outcome(one.work);
    return `${one.who} goes on${one.mortal.isDead ? ' and is killed' : ''}`;
  }

  async function befall(): Promise<string> {
    const chain = world.chains[random.pick(NETWORKS)];
    const provider = random.pick(chain.providers);
    const isHonest = world.liar !== provider.name;
    // One that invents must have somebody to contradict it: alone it would be believed in small things.
    const mayFail = world.liar === null || !isHonest;
    const fate = random.next();
    if (fate < 0.4) {
      Object.assign(provider, { isDown: false, isFrozen: false, omits: 0, invents: [] });
      chain.sync();
      return `${provider.name} of ${chain.chain.network} is well`;
    }
    if (fate < 0.6 && mayFail) {
      provider.isDown = true;
      return `${provider.name} of ${chain.chain.network} is down`;
    }
    if (fate < 0.75 && mayFail) {
      provider.isFrozen = true;
      return `${provider.name} of ${chain.chain.network} hears nothing new`;
    }
    if (fate < 0.88 && !isHonest) {
      provider.omits = random.pick([0.3, 1]);
      return `${provider.name} of ${chain.chain.network} leaves things out`;
    }
    const victims = world.checkouts.filter((checkout) => checkout.shown && checkout.network === chain.chain.network);
    if (isHonest || victims.length === 0) return 'nothing befalls anybody';
    const victim = random.pick(victims);
    provider.invents.push({ hash: random.hex(32), reverted: false, contract: false, movements: [{
      index: 0, asset: victim.asset, from: random.hex(20), to: victim.wallet, amountUnits: victim.shown?.amountUnits ?? 1n, carried: [], meantFor: victim.id,
    }] });
    return `${provider.name} of ${chain.chain.network} invents money for ${victim.id}`;
  }

  async function fork(): Promise<string> {
    const network = random.pick(NETWORKS);
    const ledger = world.ledgers[network];
    // What was final once is never reached, also where the head has gone back meanwhile.
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
    [3, 'choose', async () => world.checkouts.length > 0 ? choose(world, random.pick(world.checkouts)) : 'nobody chooses'],
    [12, 'pay', () => sendMoney(world)],
    [3, 'point', () => pointAt(world)],
    [2, 'merchant', () => merchantActs(world)],
    [6, 'expiry', () => expire()],
    [4, 'routes', () => follow()],
    [2, 'rates', () => sample()],
    [8, 'deliver', deliver],
    [3, 'moment', () => pass(random.pick([0.1, 0.4, 1.2, 12]))],
    [1, 'strike', async () => deliverers.kill(random.between(1, DELIVERERS))],
    [1, 'parking', () => park()],
    [0.3, 'night', longNight],
    [3, 'again', () => askAgain(world)],
    [2, 'endpoints', () => tendEndpoints(world)],
    [1, 'keys', () => tendKeys(world)],
    [3, 'pry', () => pry(world)],
    [4, 'provider', async () => {
      world.router.move(world.now);
      return 'the route provider moves';
    }],
    [4, 'fork', fork],
    [4, 'befall', befall],
    [3, 'wake', wake],
    [1, 'outage', async () => {
      world.prices.isDown = random.chance(0.3);
      world.router.isDown = random.chance(0.2);
      world.receivers.failing = random.pick([0, 0, 0.2, 0.6]);
      world.receivers.hanging = random.pick([0, 0.2, 0.5]);
      return `prices ${world.prices.isDown ? 'are gone' : 'are there'}, the route provider ${world.router.isDown ? 'is down' : 'is up'}, receivers fail ${world.receivers.failing} and hang ${world.receivers.hanging}`;
    }],
  ];

  return {
    deck: weights.flatMap(([weight, name, act]) => Array.from({ length: Math.round(weight * 4) }, (): [string, () => Promise<string>] => [name, act])),
    async everybody(round) {
      while (paused.length > 0 || deliverers.sleeping > 0) await wake();
      let isBusy = false;
      for (const network of NETWORKS) isBusy = (await watch(network, 1 + round % WATCHERS, true)).endsWith(': more') || isBusy;
      for (const work of [expire, follow, sample, park]) await work(true);
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
      for (const { mortal } of paused) mortal.kill();
      deliverers.end();
    },
  };
}

/** Everybody is well, everything that was lost is found, and more than a day passes. */
async function heal(world: World, staff: Staff): Promise<void> {
  for (const chain of Object.values(world.chains)) {
    for (const provider of chain.providers) Object.assign(provider, { isDown: false, isFrozen: false, omits: 0, invents: [] });
    chain.widestWindow = 1_000;
    chain.sync();
  }
  world.prices.isDown = false;
  Object.assign(world.receivers, { failing: 0, hanging: 0, deaf: null });
  while (world.unanswered.length > 0) await askAgain(world, true);
  for (let round = 0; round < HEALING_ROUNDS; round += 1) {
    await staff.pass(round < 3 ? 120 : 16_000);
    if (round >= 1 && round < 6) world.router.finish();
    if (round === 6) await askForEverything(world);
    for (let turn = 0; turn < 40 && (await staff.everybody(round) || turn < 1); turn += 1) {
      await staff.hear();
      await staff.pass(0.1);
    }
  }
}
