import { DAY_MS, later } from '../../../src/platform/time.ts';
import { dropMonthsBefore } from '../../../src/resources/webhooks/events/partitions.ts';
import { createMonth, monthOf } from '../../../src/resources/webhooks/events/partition-store.ts';
import { prune } from '../../../src/retention/prune.ts';
import type { Merchant } from '../../support/merchant.ts';
import type { Settlement } from '../../support/settlement.ts';
import type { Flood } from './flood.ts';

const FULL_SIZE = 2_000_000;
/**
 * Each with one disabled endpoint. Half of the deliveries are in a month's partition, half in the default partition.
 */
const ENDPOINTS = 4;
const SESSIONS_PER_DELIVERY = 2.5;
// A statement may take at most half a minute.
const ROWS_AT_ONCE = 50_000;
const CLIENTS = 4;
const PAUSE_MS = 20;
/** Pruning pauses for every fourth slice, so that both figures are from the same minutes on the same machine. */
const SLICE_MS = 3_000;
const TURNS_PER_REST = 3;
/** The minimum size for a verdict: below it, pruning ends before a percentile is meaningful. */
const MIN_JUDGED = 50_000;
const MAX_RATIO = 2;

/**
 * Two million parked deliveries and five million sessions that were never started, all of one account and older than
 * the retention time, are pruned while other accounts continue. Prints how long those waited with and without pruning.
 */
export const floodRetention: Flood = async (shop, { size = FULL_SIZE, say = () => {} } = {}) => {
  const { ctx } = shop;
  const { db } = ctx;
  const now = await db.now();
  const sessions = Math.round(size * SESSIONS_PER_DELIVERY);
  const old = later(monthOf(later(now, -200 * DAY_MS)).from, DAY_MS);
  await createMonth(db, monthOf(old));
  await createMonth(db, monthOf(now));

  say(`${size} parked deliveries`);
  await insertParked(shop, size, old);
  say(`${sessions} sessions without a payment`);
  const template = await shop.session();
  await insertSessions(shop, template.id, sessions, old);
  const others = await Promise.all(Array.from({ length: CLIENTS }, () => shop.app.newMerchant()));
  for (const merchant of others) await prepare(merchant);
  say('statistics');
  for (const table of ['payments', 'checkout_sessions', 'payment_states', 'deliveries', 'events'])
    await db.query(`flood_analyze_${table}`, `analyze ${table}`);

  say('other accounts, in turns with and without the jobs');
  const { alone, during, errors, tookMs } = await measure(others, async (turn) => {
    await turn(() => dropMonthsBefore(ctx, now, ctx.config.retentionDays));
    for (let isDone = false; !isDone; )
      await turn(async () => {
        const slice = AbortSignal.timeout(SLICE_MS);
        await prune(ctx, slice);
        isDone = !slice.aborted;
      });
  });

  const [left] = await db.query<{ parked: number; sessions: number; payments: number; states: number; mails: number }>(
    'flood_left',
    `
    select (select count(*) from deliveries where id like 'dlv_flood%')::int as parked,
           (select count(*) from checkout_sessions where id like 'cs_flood%')::int as sessions,
           (select count(*) from payments where id like 'pay_flood%')::int as payments,
           (select count(*) from payment_states where payment_id like 'pay_flood%')::int as states,
           (select count(*) from webhook_endpoints where expiry_mailed_at is not null)::int as mails`,
  );
  const ratio = Math.round((during.p99 / alone.p99) * 100) / 100;
  const failures = [
    ...(left?.parked === 0 ? [] : [`${left?.parked} parked deliveries are left`]),
    ...(left?.sessions === 0 && left.payments === 0 && left.states === 0
      ? []
      : [`${left?.sessions} sessions are left`]),
    ...(left?.mails === ENDPOINTS ? [] : [`${left?.mails} of ${ENDPOINTS} merchants were notified`]),
    ...(errors === 0 ? [] : [`${errors} requests of other accounts failed`]),
    ...(size < MIN_JUDGED || ratio <= MAX_RATIO ? [] : [`the p99 of other accounts is ${ratio} times what it was`]),
  ];
  return {
    figures: {
      parkedDeliveries: size,
      unstartedSessions: sessions,
      tookMs,
      requestsAlone: alone.requests,
      requestsDuring: during.requests,
      p50AloneMs: alone.p50,
      p50DuringMs: during.p50,
      p99AloneMs: alone.p99,
      p99DuringMs: during.p99,
      longestAloneMs: alone.longest,
      longestDuringMs: during.longest,
      p99Ratio: ratio,
    },
    failures,
  };
};

async function insertParked({ ctx: { db }, app }: Settlement, size: number, old: Date): Promise<void> {
  const merchant = await app.newMerchant();
  const endpoints: string[] = [];
  for (let index = 0; index < ENDPOINTS; index += 1) {
    const { id } = await merchant.createEndpoint({ url: `http://127.0.0.1:9/${index}` });
    endpoints.push(id);
  }
  await db.query('flood_disable', `update webhook_endpoints set status = 'disabled' where id = any($1)`, [endpoints]);
  // The default partition has no month for rows that are even older.
  const times = [old, later(old, -90 * DAY_MS)];
  const events = Math.ceil(size / ENDPOINTS);
  for (let first = 1; first <= events; first += ROWS_AT_ONCE) {
    const values = [first, Math.min(first + ROWS_AT_ONCE - 1, events), merchant.accountId, times];
    await db.query(
      'flood_events',
      `
      insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
      select 'evt_flood' || n, $3, false, 'pay_gone' || n, 1, 'payment.created', convert_to(repeat('x', 1000), 'UTF8'), at, at
        from generate_series($1::int, $2::int) n cross join lateral (select ($4::timestamptz[])[n % 2 + 1] as at) aged`,
      values,
    );
    await db.query(
      'flood_deliveries',
      `
      insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, recorded_at, event_recorded_at)
      select 'dlv_flood' || n || '_' || place, $3, false, endpoint, 'evt_flood' || n, 'payment.created', 'parked', at, at
        from generate_series($1::int, $2::int) n cross join lateral (select ($4::timestamptz[])[n % 2 + 1] as at) aged
       cross join unnest($5::text[]) with ordinality as e (endpoint, place)`,
      [...values, endpoints],
    );
  }
}

async function insertSessions({ ctx: { db } }: Settlement, template: string, count: number, at: Date): Promise<void> {
  for (let first = 1; first <= count; first += ROWS_AT_ONCE) {
    const values = [template, first, Math.min(first + ROWS_AT_ONCE - 1, count), at];
    await db.query(
      'flood_unstarted_sessions',
      `
      insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
        metadata, accepted_assets, reference,
                                     receive_asset, receive_network, receive_address, created_at, expires_at)
      select 'cs_flood' || n, account_id, livemode, 'pay_flood' || n, payout_wallet_id, amount_minor, currency, metadata, accepted_assets,
             decode(md5('a' || n) || md5('b' || n), 'hex'), receive_asset, receive_network, receive_address,
               $4::timestamptz - interval '1 hour', $4
        from checkout_sessions, generate_series($2::int, $3::int) n where id = $1`,
      values,
    );
    await db.query(
      'flood_unstarted_payments',
      `
      insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
        created_at, expires_at, ended_at, is_announced)
      select 'pay_flood' || n, account_id, livemode, 'cs_flood' || n, 'expired', 2, route, pay_asset, pay_network,
        $4::timestamptz - interval '1 hour', $4, $4, false
        from payments, generate_series($2::int, $3::int) n where session_id = $1`,
      values,
    );
    await db.query(
      'flood_unstarted_states',
      `
      insert into payment_states (payment_id, sequence, status, at)
      select 'pay_flood' || n, sequence, (array['created', 'expired'])[sequence], $3
        from generate_series($1::int, $2::int) n, generate_series(1, 2) sequence`,
      values.slice(1),
    );
  }
}

async function prepare(merchant: Merchant): Promise<void> {
  await merchant.createWallet();
  await merchant.createEndpoint({ url: 'http://127.0.0.1:9/' });
  for (let index = 0; index < 20; index += 1) await merchant.createSession();
}

/**
 * The daily work of merchants, one request at a time each, while `work` runs. `work` runs in turns, and pauses for a
 * slice before the first of every three.
 */
async function measure(
  merchants: readonly Merchant[],
  work: (turn: (part: () => Promise<unknown>) => Promise<void>) => Promise<void>,
) {
  const [alone, during]: [number[], number[]] = [[], []];
  let errors = 0;
  let isOver = false;
  let isWorking = false;
  const startedAt = performance.now();
  let turns = 0;
  const working = work(async (part) => {
    if (turns++ % TURNS_PER_REST === 0) await new Promise((resolve) => setTimeout(resolve, SLICE_MS));
    isWorking = true;
    await part().finally(() => {
      isWorking = false;
    });
  }).finally(() => {
    isOver = true;
  });
  await Promise.all(
    merchants.map(async (merchant) => {
      const [endpoint] = (await merchant.get('/webhook-endpoints')).data;
      const asks = [
        () => merchant.createSession(),
        () => merchant.get('/payments'),
        () => merchant.get('/events'),
        () => merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`),
      ];
      for (let turn = 0; !isOver; turn += 1) {
        const askedAt = performance.now();
        const delays = isWorking ? during : alone;
        await (asks[turn % asks.length] as () => Promise<unknown>)().catch(() => {
          errors += 1;
        });
        delays.push(performance.now() - askedAt);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }),
  );
  await working;
  return { alone: summary(alone), during: summary(during), errors, tookMs: Math.round(performance.now() - startedAt) };
}

function summary(delays: number[]) {
  delays.sort((one, other) => one - other);
  const at = (share: number) => Math.round((delays[Math.floor((delays.length - 1) * share)] ?? 0) * 10) / 10;
  return { requests: delays.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}
