import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openBenchDatabase, type BenchDatabase } from '../bench/src/database.ts';
import { startDemo } from './support/demo-service.ts';

// A merchant with a million payments opens each view of the dashboard: how long each takes, and how much memory an
// export of all of it needs. `npm run program -- dashboard-million [payments]`.

const PAYMENTS = Number(process.argv[2] ?? 1_000_000);
const WEBHOOKS = Math.floor(PAYMENTS / 4);
const DAYS = 90;
const TIMES = 15;
const SLOWEST_MS = 500;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

const database = await openBenchDatabase();
const demo = await startDemo({ DATABASE_URL: database.url, RATE_LIMIT_PER_SECOND: '10000' });
try {
  await demo.seeded();
  const cookie =
    (await fetch(demo.dashboardUrl, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, 'service-mode': 'test' };
  const { data: account } = (await (await fetch(`${demo.url}/v1/account`, { headers })).json()) as {
    data: { id: string };
  };
  const seeding = performance.now();
  const endpoint = await seed(database, account.id);
  console.log(
    `${PAYMENTS} payments over ${DAYS} days, as many transfers, ${WEBHOOKS} events and deliveries: ` +
      `written in ${((performance.now() - seeding) / 1000).toFixed(0)} s`,
  );

  const middle = id('pay', PAYMENTS / 2);
  const delivery = `dlv_${createHash('md5')
    .update(id('evt', WEBHOOKS / 2) + endpoint)
    .digest('hex')
    .slice(0, 24)}`;
  const routes: [name: string, path: string][] = [
    ['home, figures of 90 days', '/dashboard/api/overview?days=90'],
    ['home, figures of 7 days', '/dashboard/api/overview?days=7'],
    ['home, first steps', '/dashboard/api/onboarding'],
    ['home, what needs attention', '/v1/payments?status=refund_required&limit=5'],
    ['payments', '/v1/payments?limit=25'],
    ['payments, from the middle', `/v1/payments?limit=25&starting_after=${middle}`],
    ['payments, the last page', `/v1/payments?limit=25&starting_after=${id('pay', 30)}`],
    ['payments, routed', '/v1/payments?limit=25&route=routed'],
    ['payments, of a rare status', '/v1/payments?limit=25&status=refunded'],
    ['payments, routed and failed', '/v1/payments?limit=25&status=failed&route=routed'],
    ['payments, of a week', `/v1/payments?limit=25&created_after=${ago(30)}&created_before=${ago(23)}`],
    ['a payment', `/v1/payments/${middle}`],
    ['a payment, timeline', `/v1/payments/${middle}/timeline`],
    ['a payment, plan of a refund', `/dashboard/api/payments/${middle}/refund-plan`],
    ['search, id', `/dashboard/api/search?q=${middle}`],
    ['search, order number', '/dashboard/api/search?q=order-500000'],
    ['search, beginning of an order number', '/dashboard/api/search?q=or'],
    ['search, transaction', `/dashboard/api/search?q=0x${(PAYMENTS / 2).toString(16).padStart(64, '0')}`],
    ['search, busy sender', `/dashboard/api/search?q=${sender(0)}`],
    ['search, nothing there', '/dashboard/api/search?q=nothing-of-the-kind'],
    ['transfers, unattributed', '/v1/transfers?unattributed=true'],
    ['transfers, all', '/v1/transfers'],
    ['links', '/v1/payment-links'],
    ['wallets', '/v1/payout-wallets'],
    ['address check', `/dashboard/api/address-check?network=base&asset=USDC&address=${ADDRESS}`],
    ['webhook endpoints with health', '/v1/webhook-endpoints'],
    ['deliveries', `/v1/webhook-endpoints/${endpoint}/deliveries`],
    ['deliveries, from the middle', `/v1/webhook-endpoints/${endpoint}/deliveries?starting_after=${delivery}`],
    ['deliveries, failed', `/v1/webhook-endpoints/${endpoint}/deliveries?status=failed`],
    ['deliveries, waiting', `/v1/webhook-endpoints/${endpoint}/deliveries?status=pending`],
    ['a delivery', `/v1/webhook-deliveries/${delivery}`],
    ['a delivery, signed again', `/dashboard/api/deliveries/${delivery}/signed`],
    ['events', '/v1/events'],
    ['events, from the middle', `/v1/events?starting_after=${id('evt', WEBHOOKS / 2)}`],
    ['keys', '/v1/api-keys'],
    ['request log', '/dashboard/api/requests'],
  ];
  const slow: string[] = [];
  console.log('                                            first      p50      max   (ms)');
  for (const [name, path] of routes) {
    const times: number[] = [];
    // More often than it takes for a statement to get its generic plan.
    for (let time = 0; time < TIMES; time += 1) times.push(await timed(`${demo.url}${path}`, headers));
    const [first = 0, ...again] = times;
    const sorted = again.sort((one, other) => one - other);
    const most = sorted.at(-1) ?? 0;
    console.log(
      `${name.padEnd(40)} ${first.toFixed(0).padStart(8)} ` +
        `${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1).padStart(8)} ${most.toFixed(1).padStart(8)}`,
    );
    if (most > SLOWEST_MS) slow.push(name);
  }

  const before = await memoryOf(demo.pid);
  const started = performance.now();
  const { bytes, lines, memory } = await download(
    `${demo.url}/dashboard/api/payments.csv?mode=test`,
    headers,
    demo.pid,
  );
  console.log(
    `CSV of everything: ${lines} lines, ${(bytes / 1e6).toFixed(0)} MB in ` +
      `${((performance.now() - started) / 1000).toFixed(1)} s; memory of the service ` +
      `${before.toFixed(0)} MB before, then by each tenth of it ${memory.map((megabytes) => megabytes.toFixed(0)).join(', ')} MB`,
  );
  if (lines <= PAYMENTS) slow.push('the export, which is not whole');
  if (slow.length > 0) {
    console.log(`too slow: ${slow.join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  await demo[Symbol.asyncDispose]();
  await database.drop();
}

function id(prefix: string, number: number): string {
  return `${prefix}_${String(Math.floor(number)).padStart(24, '0')}`;
}

function sender(number: number): string {
  return `0x${'1'.repeat(38)}${String(number).padStart(2, '0')}`;
}

function ago(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return performance.now() - started;
}

async function download(
  url: string,
  headers: Record<string, string>,
  pid: number,
): Promise<{ bytes: number; lines: number; memory: number[] }> {
  const response = await fetch(url, { headers });
  const newLine = 10;
  const memory: number[] = [];
  let bytes = 0;
  let lines = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === newLine) lines += 1;
    if (lines >= ((memory.length + 1) * PAYMENTS) / 10) memory.push(await memoryOf(pid));
  }
  return { bytes, lines, memory };
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000;
}

/** Fills the account; returns the id of the endpoint of its deliveries. */
async function seed({ query }: BenchDatabase, accountId: string): Promise<string> {
  const wallet = id('pp', 0);
  const step = `($2::timestamptz - (${PAYMENTS} - n) * interval '${(DAYS * 86_400) / PAYMENTS} seconds')`;
  const now = new Date(Date.now() - 60_000);
  const numbers = `generate_series(1, ${PAYMENTS}) n`;
  await query(
    `
    insert into payout_wallets (id, account_id, livemode, asset, network, address, is_default, created_by, created_at)
    values ('${wallet}', $1, false, 'USDC', 'base', '${ADDRESS}', false, 'login', '2026-01-01')`,
    [accountId],
  );
  const [endpoint] = await query<{ id: string }>(
    'select id from webhook_endpoints where account_id = $1 and not livemode limit 1',
    [accountId],
  );
  if (!endpoint) throw new Error('the demo has an endpoint');
  // Rows that are known to be valid need no check of foreign keys.
  await query('set session_replication_role = replica');
  await query(
    `
    insert into checkout_sessions (
      id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, order_id, metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_' || lpad(n::text, 24, '0'), $1, false, 'pay_' || lpad(n::text, 24, '0'), '${wallet}',
      100 + n % 100000, (array['USD', 'USD', 'EUR'])[1 + n % 3], 'order-' || n,
           '{"customer": "1042"}', '{USDC_BASE,ETH_BASE}', sha256(('million' || n)::bytea), 'USDC', 'base',
             '${ADDRESS}', ${step}, ${step} + interval '1 hour'
      from ${numbers}`,
    [accountId, now],
  );
  await query(
    `
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      service_fee_minor, expected_output_units, actual_output_units,
      tx_hashes, started_at, paid_at, created_at, expires_at)
    select 'pay_' || lpad(n::text, 24, '0'), $1, false, 'cs_' || lpad(n::text, 24, '0'),
           case when n % 100 < 90 then 'paid' when n % 100 < 97 then 'expired' when n % 5000 = 99
             then 'refund_required' else 'failed' end, 3,
           case when n % 10 = 0 then 'routed' else 'direct' end, 'USDC', 'base', case when n % 10 = 0 then 15 else 0 end, 1000000, 1000000,
           array['0x' || lpad(to_hex(n), 64, '0')], ${step}, case when n % 100 < 90
             then ${step} + interval '2 minutes' end, ${step}, ${step} + interval '1 hour'
      from ${numbers}`,
    [accountId, now],
  );
  await query(
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, from_address, to_address, amount_units,
      block_number, block_hash, block_time, status, payment_id, attributed_by, first_seen_at, final_at)
    select 'tr_' || lpad(n::text, 24, '0'), false, 'base', '0x' || lpad(to_hex(n), 64, '0'), 0, 'USDC',
      '0x' || repeat('1', 38) || lpad((n % 5)::text, 2, '0'), '${ADDRESS}', 1000000, n,
           '0x' || lpad(to_hex(n), 64, 'b'), ${step.replace('$2', '$1')}, 'final', 'pay_' || lpad(n::text, 24, '0'),
             'amount', ${step.replace('$2', '$1')}, ${step.replace('$2', '$1')}
      from ${numbers}`,
    [now],
  );
  const spread = (share: string) => `(${share}::timestamptz - (${WEBHOOKS} - n) * interval '1 second')`;
  await query(
    `
    insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    select 'evt_' || lpad(n::text, 24, '0'), $1, false, 'pay_' || lpad(n::text, 24, '0'), 3, 'payment.paid',
      (select body from events where account_id = $1 and type = 'payment.paid' limit 1), ${spread('$2')}, ${spread('$2')}
      from generate_series(1, ${WEBHOOKS}) n`,
    [accountId, now],
  );
  await query(
    `
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, attempts, recorded_at,
      event_recorded_at, finished_at)
    select 'dlv_' || left(md5('evt_' || lpad(n::text, 24, '0') || '${endpoint.id}'), 24), $1, false, '${endpoint.id}',
      'evt_' || lpad(n::text, 24, '0'), 'payment.paid',
           case when n % 50000 = 7 then 'failed' else 'delivered' end, 1, ${spread('$2')}, ${spread('$2')}, ${spread('$2')}
      from generate_series(1, ${WEBHOOKS}) n`,
    [accountId, now],
  );
  await query(
    `
    insert into delivery_attempts (id, delivery_id, endpoint_id, number, kind, outcome, response_code, duration_ms,
      attempted_at, recorded_at)
    select 'att_' || lpad(n::text, 24, '0'), 'dlv_' || left(md5('evt_' || lpad(n::text, 24, '0') || '${endpoint.id}'),
      24), '${endpoint.id}', 1, 'scheduled', case when n % 50000 = 7 then 'failed' else 'delivered' end,
           case when n % 50000 = 7 then 500 else 200 end, 40, ${spread('$1')}, ${spread('$1')}
      from generate_series(1, ${WEBHOOKS}) n`,
    [now],
  );
  await query('set session_replication_role = default');
  for (const table of ['checkout_sessions', 'payments', 'transfers', 'events', 'deliveries', 'delivery_attempts'])
    await query(`vacuum analyze ${table}`);
  return endpoint.id;
}
