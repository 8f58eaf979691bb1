import type { PaymentStatus } from '@quittance/contract';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/time.ts';
import { earlyFinal, settledAlone, wronglyFinal } from './finality-invariants.ts';
import { isChanged } from './fake-chain.ts';
import type { Observer } from './observer.ts';
import { brokenJournals } from './returns.ts';
import { MAX_DUST_UNITS } from './strangers.ts';
import type { World } from './world.ts';

/** The promised transitions, repeated here on purpose. */
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
/** The promised delays before attempts 2 to 6. */
const DELAYS_MS = [1 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/** Promised limits, repeated here on purpose. */
const MAX_LISTED_PER_HOUR = 500;
const MAX_CLAIMS = 8;
const REFUND_EDGES = ['refund.created>refund.final', 'refund.created>refund.failed'];
export const EDGE_LIST = [
  ...Object.entries(EDGES).flatMap(([from, tos]) => tos.map((to) => `payment.${from}>payment.${to}`)),
  ...REFUND_EDGES,
];

/** The invariants after every step. Each violation is a sentence. */
export async function findViolations(world: World, observer: Observer): Promise<string[]> {
  const touched = new Set(world.touched);
  world.touched.clear();
  // Checks only tables that were written since the last check.
  const found = await Promise.all(
    LOOKS.map(({ at, look }) =>
      at.some((table) => touched.has(table)) || touched.has('anything') ? look(world, observer) : [],
    ),
  );
  return [
    ...world.wrong.splice(0),
    ...world.receivers.wrong.splice(0),
    ...found.flat(),
    ...(await wrongReceipts(world, observer)),
  ];
}

/** Each check and the tables that it reads. */
const LOOKS: { at: readonly string[]; look: (world: World, observer: Observer) => Promise<string[]> }[] = [
  {
    at: [
      'payments',
      'payment_states',
      'events',
      'transfers',
      'payment_targets',
      'reserved_amounts',
      'checkout_sessions',
    ],
    look: (_world, observer) => brokenPromises(observer),
  },
  { at: ['events', 'deliveries', 'webhook_endpoints'], look: (_world, observer) => misplacedDeliveries(observer) },
  { at: ['payments', 'refunds', 'transfers'], look: brokenJournals },
  { at: ['transfers'], look: wronglyFinal },
  { at: ['transfers'], look: earlyFinal },
  { at: ['transfers'], look: settledAlone },
  { at: ['transfers', 'signed_claims'], look: brokenLimits },
  { at: ['payment_states'], look: earlyEnds },
  { at: ['checkout_sessions', 'payout_wallets'], look: changedSessions },
  { at: ['delivery_attempts'], look: attemptsOffSchedule },
  { at: ['deliveries'], look: inventedDeliveries },
];

async function brokenPromises(observer: Observer): Promise<string[]> {
  const rows = await observer.query<{ what: string }>(
    'sim_violations',
    `
    with walks as (
      select object_id, sequence, type, lag(type) over (partition by object_id order by sequence) as before from events
    ), reported as (
      select object_id as payment_id, count(*) as many, count(distinct sequence) as numbers, max(sequence) as newest
        from events group by object_id
    ), money as (
      select t.payment_id, sum(t.amount_units) filter (where t.status = 'final') as final_units
        from transfers t where t.payment_id is not null and t.status <> 'dropped' group by t.payment_id
    )
    select 'I3: ' || p.id || ' is ' || p.status || ' at ' || p.sequence || ', its events count ' || coalesce(reported.many, 0) as what
      from payments p left join reported on reported.payment_id = p.id
     where reported.many is distinct from p.sequence::bigint or reported.numbers <> reported.many or reported.newest <> p.sequence
        or not exists (select 1 from walks w where w.object_id = p.id and w.sequence = p.sequence and w.type = 'payment.' || p.status)
    union all
    select 'I3: states and events of ' || p.id || ' differ' from payments p
     where (select count(*) from payment_states s where s.payment_id = p.id) <> p.sequence
    union all
    select 'I7: ' || object_id || ' went ' || before || ' > ' || type from walks
     where before is not null and before || '>' || type <> all($1::text[])
    union all
    select 'I5: ' || p.id || ' is paid by ' || coalesce(money.final_units, 0) || ' of ' || asked.least
      from payments p join checkout_sessions s on s.id = p.session_id
      left join money on money.payment_id = p.id
      cross join lateral (select case when p.route = 'routed' then p.expected_output_units else coalesce(
        (select min(t.required_units) from payment_targets t where t.payment_id = p.id and t.kind = 'direct'),
        case when s.currency = 'USD' then s.amount_minor * 10000 else 0 end) end as least) asked
     where p.status = 'paid' and coalesce(money.final_units, 0) < floor(asked.least * case
       when s.receive_asset = 'ETH' or s.currency = 'EUR' then 0.9 else 0.995 end)
       and not exists (select 1 from walks w where w.object_id = p.id and w.before = 'payment.refund_required' and w.type = 'payment.paid')
    union all
    select 'I5: transfer ' || t.id || ' counts for ' || p.id || ' though it is of another place' from transfers t
      join payments p on p.id = t.payment_id join checkout_sessions s on s.id = p.session_id
     where (t.to_address, t.asset, t.network) is distinct from (s.receive_address, s.receive_asset, s.receive_network)
    union all
    select 'I8: ' || p.id || ' has a fee of ' || p.service_fee_minor from payments p join checkout_sessions s on s.id = p.session_id
     where p.service_fee_minor <> case when p.route = 'direct' then 0 else floor(s.amount_minor * 15 / 1000.0 + 0.5) end
    union all
    select 'amounts: ' || t.payment_id || ' no longer holds its exact amount' from payment_targets t join payments p on p.id = t.payment_id
     where t.kind = 'direct' and p.status in ('created', 'pending')
       and t.amount_units % (case when t.asset = 'ETH' then 1000000000000 else 100 end) <> 0
       and not exists (select 1 from payment_targets newer
                        where newer.payment_id = t.payment_id and newer.kind = 'direct' and newer.created_at >= t.locked_until)
       and not exists (select 1 from reserved_amounts r
                        where r.livemode = t.livemode and r.network = t.network and r.address = t.address and r.asset = t.asset
                          and r.amount_units = t.amount_units and r.payment_id = t.payment_id and r.reserved_until is null)
    union all
    select 'I2: ' || order_id || ' has made ' || count(*) || ' sessions'
      from checkout_sessions group by account_id, order_id having count(*) > 1
    union all
    select 'I9: ' || s.id || ' settles to another address than its wallet' from checkout_sessions s
      join payout_wallets w on w.id = s.payout_wallet_id
     where (s.receive_address, s.account_id) is distinct from (w.address, w.account_id)
`,
    [EDGE_LIST],
  );
  return rows.map((row) => row.what);
}

/** No started payment ends before every block that could have paid it was read, by one pass if only one provider is left. */
async function earlyEnds({ ctx }: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<{
    id: string;
    expires_at: Date;
    network: 'ethereum' | 'base';
    first: Date | null;
    second: Date | null;
    waits: boolean;
  }>(
    'sim_ends_by_time',
    `
    select p.id, p.expires_at, s.receive_network as network,
           (select block_time from chain_cursors c where c.network = s.receive_network and c.pass = 'first') as first,
           (select block_time from chain_cursors c where c.network = s.receive_network and c.pass = 'second') as second,
           coalesce((select waits_for_provider from chain_cursors c where c.network = s.receive_network
             and c.pass = 'second'), false) as waits
      from payment_states ended join payment_states before on before.payment_id = ended.payment_id
        and before.sequence = ended.sequence - 1 and before.status = 'pending'
      join payments p on p.id = ended.payment_id join checkout_sessions s on s.id = p.session_id
     where ended.status = 'expired' and not exists (select 1 from route_orders o where o.payment_id = p.id)`,
  );
  // Checked as it happens, because a reorg may move the readers back later.
  const fresh = rows.filter(({ id }) => !observer.ended.has(id));
  for (const { id } of fresh) observer.ended.add(id);
  return fresh
    .filter(({ network, expires_at: end, first, second, waits }) => {
      const read = ctx.config.networks[network].rpcUrls.length > 1 && !waits ? [first, second] : [first];
      return read.some((until) => until === null || until <= end);
    })
    .map(({ id, network }) => `I6: ${id} has expired before ${network} was read past its end`);
}

/** Each event has its deliveries, to its own account. */
async function misplacedDeliveries(observer: Observer): Promise<string[]> {
  const rows = await observer.query<{ what: string }>(
    'sim_misplaced',
    `
    select 'I3: an event of ' || e.object_id || ' has no delivery' as what from events e
      join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode and w.status = 'active'
       and w.deleted_at is null and w.created_at < e.created_at and e.type = any (w.events)
     where not exists (select 1 from deliveries d where d.event_id = e.id and d.endpoint_id = w.id)
    union all
    select 'I12: delivery ' || d.id || ' was tried ' || d.attempts || ' times' from deliveries d where d.attempts > 6
    union all
    select 'I10: delivery ' || d.id || ' goes to another account' from deliveries d
      join events e on e.id = d.event_id join webhook_endpoints w on w.id = d.endpoint_id join payments p on p.id = e.object_id
     where d.account_id <> e.account_id or d.account_id <> w.account_id or p.account_id <> e.account_id`,
  );
  return rows.map((row) => row.what);
}

/** Attempts follow their schedule. */
async function attemptsOffSchedule({ receivers }: World, observer: Observer): Promise<string[]> {
  const attempts = await observer.query<{
    delivery_id: string;
    endpoint_id: string;
    number: number;
    attempted_at: Date;
    before: number;
    ended_at: Date;
  }>(
    'sim_attempts',
    `
    select delivery_id, endpoint_id, number, attempted_at, before, ended_at from (
      select *, lag(number) over walk as before, lag(recorded_at) over walk as ended_at
        from delivery_attempts where kind = 'scheduled' window walk as (partition by delivery_id order by recorded_at, number)) attempts
     where before is not null`,
  );
  return attempts.flatMap(
    ({ delivery_id: id, endpoint_id: endpointId, number, before, attempted_at: at, ended_at: endedAt }) => {
      const delayMs = DELAYS_MS[number - 2] ?? Number.POSITIVE_INFINITY;
      const waitedMs = at.getTime() - endedAt.getTime();
      const isAskedFor = receivers.endpoints
        .get(endpointId)
        ?.enabledAt.some((enabled) => enabled >= endedAt && enabled <= at);
      if (number !== before + 1) return [`I12: delivery ${id} was tried as number ${before} and then as ${number}`];
      return waitedMs >= delayMs || isAskedFor
        ? []
        : [`I12: delivery ${id} was tried for the ${number}th time after ${waitedMs} ms, not ${delayMs}`];
    },
  );
}

/** `delivered` means that a receiver has accepted it. */
async function inventedDeliveries({ receivers }: World, observer: Observer): Promise<string[]> {
  const delivered = await observer.query<{ endpoint_id: string; event_id: string }>(
    'sim_delivered',
    `select endpoint_id, event_id from deliveries where state = 'delivered'`,
  );
  return delivered
    .filter((one) => !receivers.accepted.has(`${one.endpoint_id} ${one.event_id}`))
    .map((one) => `I3: ${one.event_id} counts as delivered to ${one.endpoint_id}, which has never accepted it`);
}

/** Nothing is received before it is committed, by a wrong receiver, or with other bytes. */
async function wrongReceipts({ receivers }: World, observer: Observer): Promise<string[]> {
  const fresh = receivers.fresh.splice(0);
  if (fresh.length === 0) return [];
  const rows = await observer.query<{ id: string; account_id: string; body: Buffer }>(
    'sim_receipts',
    'select id, account_id, body from events where id = any($1)',
    [fresh.map(({ eventId }) => eventId)],
  );
  const events = new Map(rows.map((row) => [row.id, row]));
  return fresh.flatMap(({ eventId, endpointId, body }) => {
    const event = events.get(eventId);
    if (!event) return [`I3: ${eventId} was sent to ${endpointId} before it was committed`];
    if (event.account_id !== receivers.endpoints.get(endpointId)?.accountId)
      return [`I10: ${eventId} was sent to ${endpointId}, which is another account's`];
    return event.body.toString() === body ? [] : [`I4: ${eventId} was sent to ${endpointId} in other bytes`];
  });
}

/** The rows that strangers cause stay within their limits. */
async function brokenLimits({ chains, floods, crowded, customers }: World, observer: Observer): Promise<string[]> {
  // A provider that lies may overstate dust. It is then stored like any transfer, and stays after its amount is corrected.
  const overstated = await observer.query<{ tx_hash: string }>(
    'sim_overstated',
    'select distinct tx_hash from transfers where tx_hash = any($1) and amount_units > $2',
    [[...floods], MAX_DUST_UNITS],
  );
  for (const { tx_hash } of overstated) floods.delete(tx_hash);
  const { base, ethereum } = chains;
  const lies = [...base.providers, ...ethereum.providers].map(({ changes }) => changes);
  for (const hash of floods)
    if (lies.some((lie) => lie?.field === 'amount' && isChanged(lie, hash))) floods.delete(hash);
  const rows = await observer.query<{ what: string }>(
    'sim_limits',
    `
    select 'limits: dust of ' || tx_hash || ' became ' || count(*) || ' rows' as what from transfers
      where tx_hash = any($1) group by tx_hash
    union all
    select 'limits: a crowded address lists ' || count(*) || ' transfers in an hour' from transfers where tx_hash = any($2)
     group by date_trunc('hour', first_seen_at) having count(*) > $3
    union all
    select 'limits: ' || payment_id || ' stores ' || count(*) || ' claims' from signed_claims
      where signer <> all($4) group by payment_id having count(*) > $5`,
    [
      [...floods],
      [...(crowded?.hashes ?? [])],
      MAX_LISTED_PER_HOUR,
      customers.map(({ address }) => address),
      MAX_CLAIMS,
    ],
  );
  return rows.map(({ what }) => what);
}

/** Sessions never change, and none is lost. */
async function changedSessions(world: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<{ id: string; print: string }>(
    'sim_prints',
    'select id, md5(s::text) as print from checkout_sessions s',
  );
  const changed: string[] = [];
  for (const { id, print } of rows) {
    if ((observer.prints.get(id) ?? print) !== print) changed.push(`I1, I9: session ${id} has changed`);
    observer.prints.set(id, print);
  }
  if (rows.length < observer.prints.size)
    changed.push(`I1: there were ${observer.prints.size} sessions, and now there are ${rows.length}`);
  const known = new Set(rows.map(({ id }) => id));
  return [
    ...changed,
    ...world.checkouts.filter(({ id }) => !known.has(id)).map(({ id }) => `I1: ${id} was answered and is not there`),
  ];
}
