import type { Context } from '../../src/context.ts';
import { expiryJob } from '../../src/resources/payments/expire.ts';
import { routesJob } from '../../src/resources/payments/follow-routes.ts';
import { ratesJob } from '../../src/resources/payments/sample-rates.ts';
import { attemptDelivery } from '../../src/resources/webhooks/attempt.ts';
import { claimDeliveries } from '../../src/resources/webhooks/claim.ts';
import { recordAttempts } from '../../src/resources/webhooks/record-attempts.ts';
import { createWatcher, tick, type Watcher } from '../../src/watch.ts';
import { openCheckout, choose, merchantActs, pointAt, sendMoney } from './customers.ts';
import { findLosses, findViolations, fingerprints } from './invariants.ts';
import { createMortal, type Mortal } from './mortal.ts';
import { createWorld, type SimNetwork, type Sockets, type World } from './world.ts';

export interface Outcome {
  seed: number;
  steps: number;
  /** What did not hold, after which step. */
  violation: { step: number; what: string[]; story: string[] } | null;
  counts: Record<string, number>;
}

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const WATCHERS = 2;
const STORY_LINES = 400;

/** One run: so many steps by chance from one seed, then everything is healed and a day passes. */
export async function run(sockets: Sockets, seed: number, steps: number): Promise<Outcome> {
  const world = await createWorld(sockets, seed);
  const chance = Math.random;
  // What the service draws by chance comes from the seed as well.
  Math.random = () => world.random.next();
  const story: string[] = [];
  const counts: Record<string, number> = {};
  const staff = createStaff(world, counts);
  const prints = new Map<string, string>();
  let step = 0;
  try {
    for (step = 1; step <= steps; step += 1) {
      const [name, act] = world.random.pick(staff.deck);
      counts[name] = (counts[name] ?? 0) + 1;
      story.push(`${step} ${world.now.toISOString().slice(11, 19)} ${await act()}`);
      if (story.length > STORY_LINES) story.shift();
      const what = await findViolations(world, world.ctx.db);
      if (what.length > 0) return { seed, steps: step, violation: { step, what, story: [...story, ...await recordsOf(world, what)] }, counts };
      if (step % 25 === 0 || step === steps) {
        const changed = await changedSessions(world, prints);
        if (changed.length > 0) return { seed, steps: step, violation: { step, what: changed, story }, counts };
      }
    }
    await heal(world, staff);
    const what = [...await findViolations(world, world.ctx.db), ...await findLosses(world, world.ctx.db)];
    if (what.length > 0) story.push(...await recordsOf(world, what));
    return { seed, steps, violation: what.length > 0 ? { step: steps, what: what.map((one) => `after healing: ${one}`), story } : null, counts };
  } catch (error) {
    story.push(String((error as Error).stack));
    return { seed, steps: step, violation: { step, what: [`the simulator met an error: ${(error as Error).message}`], story }, counts };
  } finally {
    staff.end();
    Math.random = chance;
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

async function changedSessions(world: World, prints: Map<string, string>): Promise<string[]> {
  const changed: string[] = [];
  for (const [id, print] of await fingerprints(world.ctx.db)) {
    if ((prints.get(id) ?? print) !== print) changed.push(`I1, I9: session ${id} has changed`);
    prints.set(id, print);
  }
  return changed;
}

interface Staff {
  deck: [string, () => Promise<string>][];
  /** Everybody once, alive and well. */
  everybody(): Promise<boolean>;
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
  const deliver = (isSafe?: boolean) => employ(`deliveries ${random.between(1, 2)}`, async (ctx) => {
    const claimed = await claimDeliveries(ctx.db, ctx.secrets, await ctx.db.now(), { good: 20, unproven: 20, slow: 20, busyEndpoints: [], busyAccounts: [] });
    for (const delivery of claimed) await recordAttempts(ctx, [await attemptDelivery(ctx, delivery, await ctx.db.now())]);
    return claimed.length;
  }, isSafe);

  async function wake(): Promise<string> {
    const one = paused.splice(random.between(0, Math.max(0, paused.length - 1)), 1)[0];
    if (!one) return 'nobody stands still';
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
    return `${network} forks ${depth} deep`;
  }

  async function passTime(): Promise<string> {
    const seconds = random.chance(0.05) ? random.between(600, 5_000) : random.between(5, 180);
    world.pass(seconds);
    return `${seconds} s pass`;
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
    [2, 'deliver', () => deliver()],
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
      return `prices ${world.prices.isDown ? 'are gone' : 'are there'}, the route provider ${world.router.isDown ? 'is down' : 'is up'}`;
    }],
  ];

  return {
    deck: weights.flatMap(([weight, name, act]) => Array.from({ length: weight }, (): [string, () => Promise<string>] => [name, act])),
    async everybody() {
      while (paused.length > 0) await wake();
      let isBusy = false;
      for (const network of NETWORKS) for (let place = 1; place <= WATCHERS; place += 1) isBusy = (await watch(network, place, true)).endsWith(': more') || isBusy;
      for (const work of [expire, follow, sample, deliver]) await work(true);
      return isBusy;
    },
    end() {
      for (const { mortal } of paused) mortal.kill();
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
  world.receivers.failing = 0;
  for (let round = 0; round < 13; round += 1) {
    world.pass(round < 3 ? 120 : 12_000);
    if (round >= 1 && round < 8) world.router.finish();
    for (let turn = 0; turn < 6 && await staff.everybody(); turn += 1);
  }
}
