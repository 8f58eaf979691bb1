import { createHash } from 'node:crypto';
import { takeOver } from './deterministic.ts';
import { askAgain } from './customers.ts';
import type { Observer } from './observer.ts';
import { removeFaults } from './fake-provider.ts';
import { findViolations } from './invariants.ts';
import { findFinalViolations } from './final-checks.ts';
import { lieOn } from './lie-on.ts';
import { redeliverAll } from './merchants.ts';
import { type Act, countForged, courseOf, type Scenario } from './scenarios.ts';
import { Processes } from './processes.ts';
import { createWorld, type Sockets, type World } from './world.ts';

export interface Outcome {
  seed: number;
  steps: number;
  /** The violation, and the step after which it occurred. */
  violation: { step: number; what: string[]; story: string[] } | null;
  counts: Record<string, number>;
  /** A hash of everything that happened: the same for the same seed. */
  trace: string;
}

const STORY_LINES = 400;
/** A fork can remove hundreds of transfers that matched nothing. Each turn looks at twenty of them. */
const HEALING_ROUNDS = 16;

/** One run: random steps from one seed, then everything is healed and a day passes. */
export async function run(
  sockets: Sockets,
  observer: Observer,
  { seed, steps, scenario }: { seed: number; steps: number; scenario?: Scenario | undefined },
): Promise<Outcome> {
  let world: World | undefined;
  const giveBack = takeOver(seed, () => world?.monoMs() ?? 0);
  const story: string[] = [];
  const counts: Record<string, number> = {};
  const trace = createHash('sha256');
  const tell = (line: string) => {
    story.push(line);
    trace.update(`${line}\n`);
    if (story.length > STORY_LINES) story.shift();
  };
  const end = (step: number, what: string[]): Outcome => ({
    seed,
    steps: step,
    counts,
    trace: trace.copy().digest('hex'),
    violation: what.length > 0 ? { step, what, story } : null,
  });
  let processes: Processes | undefined;
  let step = 0;
  try {
    observer.prints.clear();
    observer.ended.clear();
    world = await createWorld(sockets, seed, scenario !== undefined);
    processes = new Processes(world, counts);
    for (const [name, act] of scenario ? courseOf(scenario, world, processes) : byChance(world, processes, steps)) {
      step += 1;
      counts[name] = (counts[name] ?? 0) + 1;
      tell(`${step} ${world.now.toISOString().slice(11, 19)} ${await act()}`);
      await processes.hear();
      const what = await findViolations(world, observer);
      if (what.length === 0) continue;
      story.push(...(await recordsOf(world, what)));
      return end(step, what);
    }
    if (scenario) await countForged(world, counts);
    if (!scenario) {
      const { story: told, paid, what } = await lieOn(world, processes, observer);
      counts['payments under a lie'] = paid;
      tell(told);
      if (what.length > 0) return end(step, what);
    }
    // If the liar was alone, what it paid is no longer right after healing.
    if (scenario === 'alone') return end(step, []);
    await heal(world, processes);
    counts.posts = world.receivers.posts;
    await countReached(world, counts);
    world.touched.add('anything');
    const what = [...(await findViolations(world, observer)), ...(await findFinalViolations(world, observer))];
    if (what.length > 0) story.push(...(await recordsOf(world, what)));
    return end(
      step,
      what.map((one) => `after healing: ${one}`),
    );
  } catch (error) {
    story.push(String((error as Error).stack));
    return end(step, [
      ...(sockets.world.current?.wrong ?? []),
      `the simulator met an error: ${(error as Error).message}`,
    ]);
  } finally {
    processes?.end();
    giveBack();
    sockets.world.current = null;
  }
}

/** The situations that the promises are about. A promise about a situation that never occurs proves nothing. */
async function countReached({ ctx }: World, counts: Record<string, number>): Promise<void> {
  const [row] = await ctx.db.query<Record<'exact' | 'converted' | 'paid' | 'paidByConversion' | 'returned', number>>(
    'sim_reached',
    `
    select (select count(distinct payment_id)::int from reserved_amounts) as exact,
           (select count(distinct payment_id)::int from route_orders) as converted,
           (select count(*)::int from refunds where verified) as returned,
           (count(*) filter (where status = 'paid'))::int as paid,
           (count(*) filter (where status = 'paid' and route = 'routed'))::int as paid_by_conversion
      from payments`,
  );
  counts['exact amounts'] = row?.exact ?? 0;
  counts['conversions ordered'] = row?.converted ?? 0;
  counts['payments paid'] = row?.paid ?? 0;
  counts['paid by a conversion'] = row?.paidByConversion ?? 0;
  counts['refunds verified'] = row?.returned ?? 0;
}

function* byChance({ random }: World, { deck }: Processes, steps: number): Generator<Act> {
  for (let step = 1; step <= steps; step += 1) yield random.pick(deck);
}

/** The service's records of the payments that a violation names. */
async function recordsOf(world: World, what: readonly string[]): Promise<string[]> {
  const ids = what.flatMap((one) => [...one.matchAll(/pay_[0-9A-Za-z]{24}/g)].map(([id]) => id));
  const hashes = what.flatMap((one) => [...one.matchAll(/0x[0-9a-f]{64}/g)].map(([hash]) => hash));
  const rows = await world.ctx.db.query<{ line: string }>(
    'sim_records',
    `
    select to_jsonb(p)::text as line from payments p where p.id = any($1)
    union all select to_jsonb(s)::text from payment_states s where s.payment_id = any($1)
    union all select to_jsonb(o)::text from route_orders o where o.payment_id = any($1)
    union all select to_jsonb(g)::text from payment_targets g where g.payment_id = any($1)
    union all select to_jsonb(t)::text from transfers t where t.payment_id = any($1) or t.near_payment_id = any($1) or t.tx_hash = any($2)
    union all select to_jsonb(c)::text from chain_cursors c`,
    [ids, hashes],
  );
  return rows.map((row) => row.line);
}

/** Removes every fault, finds everything that was lost, and lets more than a day pass. */
async function heal(world: World, processes: Processes): Promise<void> {
  for (const chain of Object.values(world.chains)) {
    for (const provider of chain.providers) removeFaults(provider);
    chain.widestWindow = 1_000;
    chain.sync();
  }
  world.prices.isDown = false;
  Object.assign(world.receivers, { failing: 0, hanging: 0, failingEndpoint: null });
  while (world.unanswered.length > 0) await askAgain(world, true);
  for (let round = 0; round < HEALING_ROUNDS; round += 1) {
    await processes.pass(round < 3 ? 120 : 16_000);
    if (round >= 1 && round < 6) world.router.finish();
    if (round === 6) await redeliverAll(world);
    await processes.runUntilIdle(round);
  }
}
