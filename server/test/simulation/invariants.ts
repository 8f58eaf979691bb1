import type { PaymentStatus } from '@quittance/contract';
import type { Db } from '../../src/platform/db/db.ts';
import type { World } from './world.ts';

/** The edges that are promised, written down a second time on purpose. */
const EDGES: Record<PaymentStatus, readonly PaymentStatus[]> = {
  created: ['pending', 'expired', 'refunded'],
  pending: ['routing', 'paid', 'expired', 'failed', 'refund_required', 'refunded'],
  routing: ['settling', 'failed', 'refund_required', 'refunded'],
  settling: ['paid', 'failed', 'refund_required', 'refunded'],
  expired: ['paid', 'refund_required', 'refunded'],
  failed: ['refund_required', 'refunded'],
  refund_required: ['paid', 'refunded'],
  paid: ['refunded'],
  refunded: [],
};
const EDGE_LIST = Object.entries(EDGES).flatMap(([from, tos]) => tos.map((to) => `payment.${from}>payment.${to}`));

/** What must hold after every step; each row is a sentence about what does not. */
export async function findViolations(world: World, db: Db): Promise<string[]> {
  const rows = await db.query<{ what: string }>('sim_violations', `
    with walks as (
      select payment_id, sequence, type, lag(type) over (partition by payment_id order by sequence) as before from events
    ), told as (
      select payment_id, count(*) as many, count(distinct sequence) as numbers, max(sequence) as newest from events group by payment_id
    ), money as (
      select t.payment_id, sum(t.amount_units) filter (where t.status = 'final') as final_units
        from transfers t where t.payment_id is not null and t.status <> 'dropped' group by t.payment_id
    )
    select 'I3: ' || p.id || ' is ' || p.status || ' at ' || p.sequence || ', its events tell ' || coalesce(told.many, 0) as what
      from payments p left join told on told.payment_id = p.id
     where told.many is distinct from p.sequence::bigint or told.numbers <> told.many or told.newest <> p.sequence
        or not exists (select 1 from walks w where w.payment_id = p.id and w.sequence = p.sequence and w.type = 'payment.' || p.status)
    union all
    select 'I3: states and events of ' || p.id || ' differ' from payments p
     where (select count(*) from payment_states s where s.payment_id = p.id) <> p.sequence
    union all
    select 'I3: an event of ' || e.payment_id || ' has no delivery' from events e
      join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode and w.status = 'active'
     where not exists (select 1 from deliveries d where d.event_id = e.id and d.endpoint_id = w.id)
    union all
    select 'I7: ' || payment_id || ' went ' || before || ' > ' || type from walks
     where before is not null and before || '>' || type <> all($1::text[])
    union all
    select 'I5: ' || p.id || ' is paid by ' || coalesce(money.final_units, 0) || ' of ' || asked.least
      from payments p join checkout_sessions s on s.id = p.session_id
      left join money on money.payment_id = p.id
      cross join lateral (select case when p.route = 'routed' then p.expected_output_units else coalesce(
        (select min(t.required_units) from payment_targets t where t.payment_id = p.id and t.kind = 'direct'),
        case when s.currency = 'USD' then s.amount_minor * 10000 else 0 end) end as least) asked
     where p.status = 'paid' and coalesce(money.final_units, 0) < floor(asked.least * case when s.receive_asset = 'ETH' or s.currency = 'EUR' then 0.9 else 0.995 end)
       and not exists (select 1 from walks w where w.payment_id = p.id and w.before = 'payment.refund_required' and w.type = 'payment.paid')
    union all
    select 'I5: transfer ' || t.id || ' counts for ' || p.id || ' though it is of another place' from transfers t
      join payments p on p.id = t.payment_id join checkout_sessions s on s.id = p.session_id
     where (t.to_address, t.asset, t.network) is distinct from (s.receive_address, s.receive_asset, s.receive_network)
    union all
    select 'I8: ' || p.id || ' has a fee of ' || p.service_fee_minor from payments p join checkout_sessions s on s.id = p.session_id
     where p.service_fee_minor <> case when p.route = 'direct' then 0 else floor(s.amount_minor * 15 / 1000.0 + 0.5) end
    union all
    select 'amounts: ' || t.payment_id || ' no longer holds its exact amount' from payment_targets t join payments p on p.id = t.payment_id
     where t.kind = 'direct' and p.status in ('created', 'pending') and t.amount_units > t.required_units
       and not exists (select 1 from reserved_amounts r
                        where r.livemode = t.livemode and r.network = t.network and r.address = t.address and r.asset = t.asset
                          and r.amount_units = t.amount_units and r.payment_id = t.payment_id and r.reserved_until is null)
    union all
    select 'I12: delivery ' || d.id || ' was tried ' || d.attempts || ' times' from deliveries d where d.attempts > 6`, [EDGE_LIST]);
  return [...rows.map((row) => row.what), ...await falselyFinal(world, db)];
}

interface TransferSeen {
  id: string;
  network: 'ethereum' | 'base';
  tx_hash: string;
  index: number;
  asset: string;
  to_address: string;
  amount_units: bigint;
  block_hash: string;
  session_id: string | null;
  attributed_by: string | null;
}

/** What counts as final stands on the chain just so, and is whose it was meant to be. */
async function falselyFinal(world: World, db: Db): Promise<string[]> {
  const rows = await db.query<TransferSeen>('sim_final', `
    select t.id, t.network, t.tx_hash, t.index, t.asset, t.to_address, t.amount_units, t.block_hash, p.session_id, t.attributed_by
      from transfers t left join payments p on p.id = t.payment_id where t.status = 'final'`);
  return rows.flatMap((row) => {
    const found = world.ledgers[row.network].find(row.tx_hash);
    if (!found || found.tx.reverted) return [`I5: transfer ${row.id} is final, but ${row.tx_hash} is not on the chain`];
    const movement = found.tx.movements.find((one) => one.index === row.index);
    if (!movement || movement.to !== row.to_address || movement.asset !== row.asset || movement.amountUnits !== row.amount_units) {
      return [`I5: transfer ${row.id} is final, but ${row.tx_hash} moves something else`];
    }
    if (found.block.hash !== row.block_hash) return [`I5: transfer ${row.id} is final in a block that is not on the chain`];
    if (row.session_id === null || row.session_id === movement.meantFor || row.attributed_by === 'sender') return [];
    // A provider may name less than it owes as a short delivery of any of its orders; nothing is paid by that.
    const isShort = row.attributed_by === 'route' && ![...world.router.conversions.values()].some((one) => one.meantFor === row.session_id && one.request.outputUnits === row.amount_units);
    if (isShort) return [];
    return world.allowed.get(row.tx_hash)?.has(row.session_id) ? [] : [`attribution: ${row.tx_hash} was meant for ${movement.meantFor} and pays ${row.session_id} by ${row.attributed_by}`];
  });
}

/** Sessions never change. */
export async function fingerprints(db: Db): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; print: string }>('sim_prints', `select id, md5(s::text) as print from checkout_sessions s`);
  return new Map(rows.map((row) => [row.id, row.print]));
}

/** What must hold once everything is well again and a day has passed. */
export async function findLosses(world: World, db: Db): Promise<string[]> {
  const losses: string[] = [];
  const rows = await db.query<{ network: string; tx_hash: string; index: number; status: string; block_hash: string }>('sim_transfers', 'select network, tx_hash, index, status, block_hash from transfers');
  const kept = new Map(rows.map((row) => [`${row.network} ${row.tx_hash} ${row.index}`, row]));
  for (const row of rows) if (row.status === 'seen') losses.push(`I6: ${row.tx_hash} is still only seen`);
  for (const ledger of Object.values(world.ledgers)) {
    for (const block of ledger.blocks) {
      for (const tx of block.txs) {
        for (const movement of tx.reverted ? [] : tx.movements) {
          const row = kept.get(`${ledger.network} ${tx.hash} ${movement.index}`);
          if (row?.status !== 'final') losses.push(`I6: ${tx.hash} ${movement.index} in block ${block.number} of ${ledger.network} was ${row ? row.status : 'missed'}`);
        }
      }
    }
  }
  losses.push(...await unfinished(world, db));
  return losses;
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
  walk: string[];
}

async function unfinished(world: World, db: Db): Promise<string[]> {
  const rows = await db.query<End>('sim_ends', `
    select p.id, p.session_id, p.status, p.route, p.failure_reason, p.tx_hash, s.amount_minor, p.expires_at,
           s.currency = 'USD' and s.receive_asset <> 'ETH' as pegged,
           coalesce((select sum(t.amount_units) from transfers t where t.payment_id = p.id and t.status = 'final' and t.attributed_by <> 'route' and t.block_time <= p.expires_at), 0)::numeric as in_time,
           coalesce((select sum(t.amount_units) from transfers t where t.payment_id = p.id and t.status = 'final' and t.attributed_by <> 'route'), 0)::numeric as total,
           (select array_agg(status order by sequence) from payment_states where payment_id = p.id) as walk
      from payments p join checkout_sessions s on s.id = p.session_id`);
  const checkouts = new Map(world.checkouts.map((checkout) => [checkout.id, checkout]));
  return rows.flatMap((end) => {
    if (['created', 'pending', 'routing', 'settling'].includes(end.status)) return [`I6: ${end.id} is still ${end.status} a day later (${end.walk})`];
    if (end.status === 'refunded') return [];
    const required = end.amount_minor * 10_000n;
    const tolerated = required * 50n / 10_000n < 1_000_000n ? required * 50n / 10_000n : 1_000_000n;
    const isRouted = end.walk.includes('routing') || end.route === 'routed';
    if (end.pegged && !isRouted) {
      const isEnough = end.in_time > 0n && end.in_time >= required - tolerated;
      const expected = isEnough ? ['paid', 'refund_required'] : end.total > 0n ? ['refund_required', 'paid'] : ['expired', 'failed'];
      if (!expected.includes(end.status)) return [`I6: ${end.id} got ${end.in_time} in time and ${end.total} in all of ${required}, and is ${end.status} (${end.walk})`];
      if (isEnough && end.status === 'refund_required' && end.failure_reason === 'underpaid') return [`I6: ${end.id} was paid in full in time and is ${end.failure_reason} (${end.walk})`];
    }
    const checkout = checkouts.get(end.session_id);
    const [only, ...more] = checkout?.sent ?? [];
    const found = checkout && only && more.length === 0 && checkout.isPlain && !isRouted && end.pegged ? world.ledgers[checkout.network].find(only) : undefined;
    if (found && !found.tx.reverted && found.tx.movements.length === 1 && found.block.time <= end.expires_at && (end.status !== 'paid' || end.tx_hash !== only)) {
      return [`I6: ${end.id} was paid exactly and in time by ${only} and is ${end.status} (${end.walk})`];
    }
    return [];
  });
}
