import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { openCheckout, payOnce } from './customers.ts';
import { CHANGED_FIELDS, removeFaults } from './fake-provider.ts';
import { findViolations } from './invariants.ts';
import type { Observer } from './observer.ts';
import type { Processes } from './processes.ts';
import type { Checkout, SimNetwork, World } from './world.ts';

const NETWORKS: readonly SimNetwork[] = ['ethereum', 'base'];
const CHECKOUTS = 16;
/** Time to pay in, so that all are in time. */
const MIN_LEFT_MS = 20 * MINUTE_MS;
/** Longer than a block takes to be final, and than a lasting doubt goes without an alarm. */
const ROUNDS = 10;
const ROUND_SECONDS = 300;
const ALL_DIGITS = '0123456789abcdef';

/**
 * While all else is well, the liar changes one field of every transaction of a network: each payment is paid, or an alarm
 * about its transaction names the liar. The majority of three pays it.
 */
export async function lieOn(
  world: World,
  processes: Processes,
  observer: Observer,
): Promise<{ story: string; paid: number; what: string[] }> {
  if (world.liar === null) return { story: 'no provider lies', paid: 0, what: [] };
  const fields = beginToLie(world);
  const paid = await payInTime(world);
  for (let round = 0; round < ROUNDS; round += 1) {
    await processes.pass(ROUND_SECONDS);
    await processes.runUntilIdle(round);
  }
  const lies = NETWORKS.map((network) => `the ${fields[network]} on ${network}`).join(' and ');
  return {
    story: `${world.liar} changes ${lies}, and ${paid.size} payments are made`,
    paid: paid.size,
    what: [...(await unnoticed(world, observer, { paid, fields })), ...(await findViolations(world, observer))],
  };
}

function beginToLie({ chains, liar, prices, random }: World): Record<SimNetwork, string> {
  prices.isDown = false;
  const fields = NETWORKS.map((network): [SimNetwork, string] => {
    const field = random.pick(CHANGED_FIELDS);
    for (const provider of chains[network].providers) {
      removeFaults(provider);
      if (provider.name === liar) provider.changes = { field, digits: ALL_DIGITS, onlyReports: random.chance(0.3) };
    }
    chains[network].sync();
    return [network, field];
  });
  return Object.fromEntries(fields) as Record<SimNetwork, string>;
}

/** Customers pay once, in full and in time; the transactions, by the checkout. */
async function payInTime(world: World): Promise<Map<Checkout, string>> {
  for (let opened = 0; opened < CHECKOUTS; opened += 1) await openCheckout(world);
  const paid = new Map<Checkout, string>();
  for (const checkout of world.checkouts) {
    if (checkout.expiresAt < later(world.now, MIN_LEFT_MS)) continue;
    const hash = await payOnce(world, checkout);
    if (hash !== undefined) paid.set(checkout, hash);
  }
  return paid;
}

async function unnoticed(
  { alarms, chains, ledgers, liar }: World,
  observer: Observer,
  { paid, fields }: { paid: ReadonlyMap<Checkout, string>; fields: Record<SimNetwork, string> },
): Promise<string[]> {
  // Of others, a changed rate may leave something due.
  const pegged = await observer.query<{ session_id: string; status: string }>(
    'sim_under_lies',
    `
    select p.session_id, p.status from payments p join checkout_sessions s on s.id = p.session_id
     where p.session_id = any($1) and s.currency = 'USD' and s.receive_asset <> 'ETH'`,
    [[...paid.keys()].map(({ id }) => id)],
  );
  const statuses = new Map(pegged.map((row) => [row.session_id, row.status]));
  const isNamed = new RegExp(`\\b${liar}\\b`);
  return [...paid].flatMap(([{ id, network, expiresAt }, hash]) => {
    const block = ledgers[network].find(hash)?.block;
    const status = statuses.get(id);
    if (!block || block.time > expiresAt || status === undefined || status === 'paid') return [];
    const about = alarms.filter(
      ({ txHash, details, providers, reportedBy }) =>
        txHash === hash && isNamed.test(JSON.stringify([details, providers, reportedBy])),
    );
    if (about.length > 0 && chains[network].providers.length < 3) return [];
    return [`I16: ${id} was paid by ${hash}, of which ${liar} changes the ${fields[network]}, and is ${status}`];
  });
}
