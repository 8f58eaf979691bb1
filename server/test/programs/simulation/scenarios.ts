import { forgedPayment, lead } from './provider-faults.ts';
import type { Processes } from './processes.ts';
import type { SimNetwork, World } from './world.ts';

/**
 * `ahead`: one of two providers is 900 blocks ahead with forged payments, the other is honest at the real head.
 * `alone`: the same, while the honest one answers nothing. `flapping`: both are honest, and one of them fails most
 * calls.
 */
export const SCENARIOS = ['ahead', 'alone', 'flapping'] as const;
export type Scenario = (typeof SCENARIOS)[number];
export type Act = [name: string, act: () => Promise<string>];

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const BEFORE = ['watch', 'watch', 'time', 'open', 'open', 'choose', 'pay', 'expiry', 'moment', 'claims'];
const DURING = ['open', 'choose', 'pay', 'point', 'expiry', 'wake', 'claims', 'watch'];
const LEAD_BLOCKS = 900;
const MAX_VICTIMS = 4;
/** The share of calls that a flapping provider fails. */
const FLAPS = 0.9;
const STEP_SECONDS = 20;
const DURATION_SECONDS: Record<Scenario, number> = { ahead: 10 * 60, alone: 25 * 60, flapping: 40 * 60 };

/** The events of a scenario, one act after the other. */
export function* courseOf(scenario: Scenario, world: World, processes: Processes): Generator<Act> {
  const { random } = world;
  const acts = new Map(processes.deck);
  const pick = (names: readonly string[]): Act => {
    const name = random.pick(names);
    return [name, acts.get(name) as Act[1]];
  };
  for (let act = 0; act < 40; act += 1) yield pick(BEFORE);
  // A payment is expected on each network.
  for (
    let tries = 0;
    tries < 40 && !NETWORKS.every((network) => world.checkouts.some((one) => one.shown && one.network === network));
    tries += 1
  )
    yield pick(['open']);
  yield ['lead', () => begin(scenario, world)];
  for (let seconds = 0; seconds < DURATION_SECONDS[scenario]; seconds += STEP_SECONDS) {
    yield ['time', () => processes.pass(STEP_SECONDS)];
    for (let turn = 0; turn < 2; turn += 1) yield pick(['watch']);
    yield pick(DURING);
  }
}

async function begin(scenario: Scenario, world: World): Promise<string> {
  const { random } = world;
  const events: string[] = [];
  for (const network of NETWORKS) {
    const chain = world.chains[network];
    if (scenario === 'flapping') {
      for (const provider of chain.providers.slice(1)) provider.flaps = FLAPS;
      events.push(`${network} has a provider that flaps`);
      continue;
    }
    const liar = chain.providers.find(({ name }) => name === world.liar);
    if (!liar) continue;
    for (const other of chain.providers) other.isDown = scenario === 'alone' && other !== liar;
    const forged = Array.from({ length: MAX_VICTIMS }, () => forgedPayment(world, network)).filter(
      (tx) => tx !== undefined,
    );
    for (const tx of forged) world.forged.add(tx.hash);
    events.push(lead(world, chain, liar, { txs: forged, count: LEAD_BLOCKS }));
    // A process that starts now has seen no head that would warn it.
    if (random.chance(0.5)) chain.restart();
  }
  world.isLiarAlone = scenario === 'alone';
  return events.join('; ');
}

/** The statuses of the forged payments. */
export async function countForged({ ctx, forged }: World, counts: Record<string, number>): Promise<void> {
  const [row] = await ctx.db.query<{ read: number; paid: number; alone: number }>(
    'sim_forged',
    `
    select count(*)::int as read,
           (count(*) filter (where t.status = 'final' and p.status = 'paid'))::int as paid,
           (count(*) filter (where t.status = 'final' and p.status = 'paid' and t.evidence ? 'singleProvider'))::int as alone
      from transfers t left join payments p on p.id = t.payment_id where t.tx_hash = any($1)`,
    [[...forged]],
  );
  counts.forged = forged.size;
  counts['forged and read'] = row?.read ?? 0;
  counts['falsely paid'] = row?.paid ?? 0;
  counts['falsely paid by a single provider, with its evidence'] = row?.alone ?? 0;
}
