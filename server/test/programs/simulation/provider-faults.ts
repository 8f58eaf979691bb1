import { CHANGED_FIELDS, removeFaults, type FakeProvider, runAhead } from './fake-provider.ts';
import type { FakeChain } from './fake-chain.ts';
import type { Tx } from './ledger.ts';
import type { SimNetwork, World } from './world.ts';

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const LEADS = [12, 40, 70, 300, 900];

/** A fault of a provider. Only the world's liar lies, and beside a liar no other provider is unreachable for long. */
export async function injectFault(world: World): Promise<string> {
  const { random } = world;
  const network = random.pick(NETWORKS);
  const chain = world.chains[network];
  const provider = random.pick(chain.providers);
  const about = `${provider.name} of ${network}`;
  const isLiar = world.liar === provider.name;
  const fate = random.next();
  if (fate < 0.35) {
    removeFaults(provider);
    chain.sync();
    return `${about} is well`;
  }
  if (fate < 0.5 && (world.liar === null || isLiar)) {
    provider.isDown = true;
    return `${about} is down`;
  }
  if (fate < 0.58) {
    provider.flaps = 0.9;
    return `${about} flaps`;
  }
  if (fate < 0.7) {
    provider.isFrozen = true;
    return `${about} receives nothing new`;
  }
  if (!isLiar) return 'no provider changes';
  if (fate < 0.78) {
    provider.omits = random.pick([0.3, 1]);
    return `${about} leaves things out`;
  }
  if (random.chance(0.5)) {
    // A third of all transactions, so that true ones stay beside them.
    const digits = Array.from({ length: 5 }, () => random.pick([...'0123456789abcdef'])).join('');
    const onlyReports = random.chance(0.4);
    provider.changes = { field: random.pick(CHANGED_FIELDS), digits, onlyReports };
    return `${about} changes the ${provider.changes.field} of transactions${onlyReports ? ' in its reports' : ''}`;
  }
  // Only the head is invented, and no real transfer may become final by it.
  if (fate < 0.86) return lead(world, chain, provider, { txs: [], count: random.pick(LEADS), leaves: false });
  const tx = forgedPayment(world, network);
  if (!tx) return 'no payment to invent money for';
  if (fate < 0.92) {
    provider.invents.push(tx);
    return `${about} invents money for ${tx.movements[0]?.meantFor}`;
  }
  return lead(world, chain, provider, { txs: [tx], count: random.pick(LEADS) });
}

/** From here on the provider shows blocks that do not exist, the first of them with these transactions. */
export function lead(
  world: World,
  chain: FakeChain,
  provider: FakeProvider,
  { txs, count, leaves = world.random.chance(0.5) }: { txs: readonly Tx[]; count: number; leaves?: boolean },
): string {
  runAhead(provider, world.ledgers[chain.chain.network as SimNetwork], world.random, { leaves, count, txs });
  chain.sync();
  const owners = txs.map((tx) => tx.movements[0]?.meantFor).join(', ');
  const branch = leaves ? ' on a branch of its own' : '';
  const money = owners === '' ? '' : `, with money for ${owners}`;
  return `${provider.name} of ${chain.chain.network} is ${count} blocks ahead${branch}${money}`;
}

/** A forged exact payment for a waiting session. */
export function forgedPayment({ random, checkouts }: World, network: SimNetwork): Tx | undefined {
  const victims = checkouts.filter((checkout) => checkout.shown && checkout.network === network);
  if (victims.length === 0) return undefined;
  const victim = random.pick(victims);
  return {
    hash: random.hex(32),
    reverted: false,
    contract: false,
    movements: [
      {
        index: 0,
        asset: victim.asset,
        from: random.hex(20),
        to: victim.wallet,
        amountUnits: victim.shown?.amountUnits ?? 1n,
        carried: [],
        meantFor: victim.id,
      },
    ],
  };
}

/** A provider answers nothing for longer than ten minutes, or only now and then, while the service keeps asking. */
export async function outage(world: World, turn: (seconds: number) => Promise<unknown>): Promise<string> {
  const { random } = world;
  const chain = world.chains[random.pick(NETWORKS)];
  const candidates = chain.providers.filter((provider) => world.liar === null || provider.name === world.liar);
  if (chain.providers.length < 2 || candidates.length === 0) return 'no provider fails for long';
  const provider = random.pick(candidates);
  const flaps = random.chance(0.35);
  if (flaps) provider.flaps = 0.95;
  else provider.isDown = true;
  for (let minute = 0; minute < 13; minute += 1) await turn(55);
  if (random.chance(0.5)) removeFaults(provider);
  chain.sync();
  return `${provider.name} of ${chain.chain.network} ${flaps ? 'flaps' : 'answers nothing'} for twelve minutes`;
}
