import { isBelowCent } from '../../../src/settlement/reading/select-transfers.ts';
import type { PaymentStatus } from '@quittance/contract';
import type { Observer } from './observer.ts';
import { EDGE_LIST } from './invariants.ts';
import { inventedReturns } from './returns.ts';
import { SECRETS, type SimNetwork, type World } from './world.ts';

/** The promises that must hold once every fault is removed and a day has passed. */
export async function findFinalViolations(world: World, observer: Observer): Promise<string[]> {
  const losses: string[] = [];
  const wallets = new Set(world.merchants.flatMap((one) => one.wallets.map(({ address }) => address)));
  const rows = await observer.query<{
    network: string;
    tx_hash: string;
    index: number;
    status: string;
    block_number: number;
  }>('sim_transfers', 'select network, tx_hash, index, status, block_number::int from transfers');
  const kept = new Map(rows.map((row) => [`${row.network} ${row.tx_hash} ${row.index}`, row]));
  // Transfers that the merchant has assigned need no one's attention, and what such a payment gave back is listed.
  const aside = new Set(
    (
      await observer.query<{ tx_hash: string }>(
        'sim_set_aside',
        `
    select tx_hash from set_aside_transactions union all select tx_hash from transfers where set_aside_at is not null
      or attributed_by = 'hand' or reason is not null`,
      )
    ).map((row) => row.tx_hash),
  );
  // Transfers that a liar invented above the honest head wait until the chain gets there.
  for (const { network, tx_hash, status, block_number } of rows)
    if (status === 'seen' && block_number < world.ledgers[network as SimNetwork].blocks.length)
      losses.push(`I6: ${tx_hash} is still only seen`);
  for (const ledger of Object.values(world.ledgers)) {
    for (const block of ledger.blocks) {
      for (const tx of block.txs) {
        for (const movement of tx.reverted ? [] : tx.movements.filter(({ to }) => wallets.has(to))) {
          const row = kept.get(`${ledger.network} ${tx.hash} ${movement.index}`);
          // Dust that matches no payment is counted by the hour, not stored.
          if (!row && isBelowCent({ ...movement, network: ledger.network })) continue;
          // A crowded address does not list all transfers that match no payment.
          if (!row && world.crowded?.address === movement.to && world.crowded.network === ledger.network) continue;
          if (world.poison.has(tx.hash) && !aside.has(tx.hash))
            losses.push(`I6: ${tx.hash} cannot be ${world.poison.get(tx.hash)}d and was not set aside`);
          if (!row && world.poison.get(tx.hash) === 'store') continue;
          if (row?.status !== 'final')
            losses.push(
              `I6: ${tx.hash} ${movement.index} in block ${block.number} of ${ledger.network} was ${row ? row.status : 'missed'}`,
            );
        }
      }
    }
  }
  losses.push(
    ...(await unfinished(world, observer)),
    ...(await undeliveredEvents(world, observer)),
    ...(await secretsIn(observer)),
    ...(await inventedReturns(world, observer)),
    ...(await doubted(observer)),
  );
  return losses;
}

/** The recheck after a reorganization has come to an end about all money, also about what waited for it. */
async function doubted(observer: Observer): Promise<string[]> {
  const rows = await observer.query<{ tx_hash: string }>(
    'sim_doubted',
    `select tx_hash from transfers where status = 'final' and evidence ? 'doubted'`,
  );
  return rows.map(({ tx_hash }) => `I6: ${tx_hash} is still in doubt`);
}

/** Every event has reached all of its endpoints, and in the order of their sequence they form a valid walk. */
async function undeliveredEvents({ receivers }: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<{
    endpoint_id: string;
    event_id: string;
    payment_id: string;
    sequence: number;
    state: string;
  }>(
    'sim_unheard',
    `
    select d.endpoint_id, d.event_id, e.object_id as payment_id, e.sequence, d.state from deliveries d join events e on e.id = d.event_id
      join webhook_endpoints w on w.id = d.endpoint_id where w.deleted_at is null order by e.object_id, d.endpoint_id, e.sequence`,
  );
  const wrong: string[] = [];
  const walks = new Map<string, string[]>();
  for (const row of rows) {
    const body = receivers.accepted.get(`${row.endpoint_id} ${row.event_id}`);
    if (body === undefined) {
      wrong.push(`I3: ${row.event_id} never reached ${row.endpoint_id} (${row.state})`);
      continue;
    }
    if (row.state !== 'delivered')
      wrong.push(`I3: ${row.event_id} was accepted by ${row.endpoint_id} and is ${row.state}`);
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { id: string; sequence: number; status: PaymentStatus };
    };
    if (data.id !== row.payment_id || data.sequence !== row.sequence || type !== `payment.${data.status}`)
      wrong.push(`I3: ${row.event_id} reports ${type} number ${data.sequence} of ${data.id}`);
    const walk = walks.get(`${row.payment_id} ${row.endpoint_id}`) ?? [];
    const before = walk.at(-1);
    if (before !== undefined && !EDGE_LIST.includes(`${before}>${type}`))
      wrong.push(
        `I3: in the order of their sequence ${row.endpoint_id} heard of ${row.payment_id} ${[...walk, type].join(' > ')}`,
      );
    walks.set(`${row.payment_id} ${row.endpoint_id}`, [...walk, type]);
  }
  return wrong;
}

/** No table contains a usable secret. */
async function secretsIn(observer: Observer): Promise<string[]> {
  const tables = await observer.query<{ name: string }>(
    'sim_all_tables',
    `
    select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  const rows = await observer.query<{ name: string }>(
    'sim_secrets',
    tables
      .map(
        ({ name }) => `
    select '${name}' as name where exists (select 1 from ${name} row where row::text ~ '${SECRETS.source}')`,
      )
      .join(' union all '),
  );
  return rows.map(({ name }) => `I11: a row of ${name} holds a secret`);
}

interface End {
  id: string;
  session_id: string;
  status: PaymentStatus;
  route: string;
  failure_reason: string | null;
  tx_hash: string | null;
  amount_minor: bigint;
  expires_at: Date;
  pegged: boolean;
  in_time: bigint;
  total: bigint;
  is_claimed: boolean;
  /** A route provider kept the money of one of its orders. */
  is_stuck: boolean;
  walk: string[];
}

async function unfinished(world: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<End>(
    'sim_ends',
    `
    select p.id, p.session_id, p.status, p.route, p.failure_reason, p.tx_hash, s.amount_minor, p.expires_at,
           s.currency = 'USD' and s.receive_asset <> 'ETH' as pegged,
           coalesce((select sum(t.amount_units) from transfers t where t.payment_id = p.id and t.status = 'final'
             and t.attributed_by <> 'route' and t.block_time <= p.expires_at), 0)::numeric as in_time,
           coalesce((select sum(t.amount_units) from transfers t where t.payment_id = p.id and t.status = 'final'
             and t.attributed_by <> 'route'), 0)::numeric as total,
           exists (select 1 from transfers t where t.payment_id = p.id and t.attributed_by in ('claim', 'hand')) as is_claimed,
           exists (select 1 from route_orders o where o.payment_id = p.id and o.state = 'stuck') as is_stuck,
           (select array_agg(status order by sequence) from payment_states where payment_id = p.id) as walk
      from payments p join checkout_sessions s on s.id = p.session_id`,
  );
  const checkouts = new Map(world.checkouts.map((checkout) => [checkout.id, checkout]));
  return rows.flatMap((end) => {
    if (['created', 'pending', 'routing', 'settling'].includes(end.status))
      return [`I6: ${end.id} is still ${end.status} a day later (${end.walk})`];
    if (end.status === 'refunded') return [];
    const required = end.amount_minor * 10_000n;
    const tolerated = (required * 50n) / 10_000n < 1_000_000n ? (required * 50n) / 10_000n : 1_000_000n;
    const isRouted = end.walk.includes('routing') || end.route === 'routed';
    const isEnough = end.in_time > 0n && end.in_time >= required - tolerated;
    // A conversion pays without direct money, and takes away none that is enough.
    if (end.pegged && (!isRouted || isEnough)) {
      const expected = isEnough
        ? ['paid', 'refund_required']
        : end.total > 0n
          ? ['refund_required', 'paid']
          : ['expired', 'failed'];
      if (!expected.includes(end.status) && !(end.is_stuck && end.status === 'refund_required'))
        return [
          `I6: ${end.id} got ${end.in_time} in time and ${end.total} in all of ${required}, and is ${end.status} (${end.walk})`,
        ];
      // A claim after the end does not change the state: a refund may be on its way.
      if (isEnough && !end.is_claimed && end.status === 'refund_required' && end.failure_reason === 'underpaid')
        return [`I6: ${end.id} was paid in full in time and is ${end.failure_reason} (${end.walk})`];
    }
    const checkout = checkouts.get(end.session_id);
    const [only, ...more] = checkout?.sent ?? [];
    const found =
      checkout && only && more.length === 0 && checkout.isPlain && !isRouted && end.pegged
        ? world.ledgers[checkout.network].find(only)
        : undefined;
    if (
      found &&
      !found.tx.reverted &&
      found.tx.movements.length === 1 &&
      found.block.time <= end.expires_at &&
      (end.status !== 'paid' || end.tx_hash !== only)
    ) {
      return [`I6: ${end.id} was paid exactly and in time by ${only} and is ${end.status} (${end.walk})`];
    }
    return [];
  });
}
