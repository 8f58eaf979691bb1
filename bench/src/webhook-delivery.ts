import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { BareSending } from './bare-undici.ts';
import type { DurableSending } from './durable-undici.ts';
import { figure, type Figure } from './figures.ts';
import type { Bench } from './bench.ts';
import { ask, start, stop } from './processes.ts';
import type { Received } from './receiver.ts';

const ACCOUNTS = 32;
export const ENDPOINTS = 128;
/** As many as the worker keeps in flight. */
const CONNECTIONS = 96;
const DELIVERIES_PER_SECOND = 6_000;
export const LOOK_MS = 25;

/**
 * Delivering webhooks with each attempt durably recorded. Compared with undici that only sends the same bodies to the
 * same receiver, and, as the fair floor, with undici that selects them and records that they were sent.
 */
export async function webhookDelivery({
  database,
  seconds,
  say,
}: Bench): Promise<{ webhook_delivery: Figure; webhook_delivery_durable: Figure }> {
  const receiver = await start<{ port: number }>('./receiver.ts');
  try {
    const body = sampleBody();
    const bare = (): Promise<number> =>
      sendBare({ port: receiver.first.port, connections: CONNECTIONS, seconds: seconds / 2, body });
    const before = await bare();

    const count = seconds * DELIVERIES_PER_SECOND;
    await seedEndpoints(database, receiver.first.port);
    await seedDeliveries(database, { from: 1, count, body });
    const durable = await sendDurably(database, {
      url: database.url,
      port: receiver.first.port,
      connections: CONNECTIONS,
    });
    const worker = await start<{ ready: true }>('./worker.ts', {
      DATABASE_URL: database.url,
      DATA_DIR: database.dataDir,
      ROLE: 'worker',
      PORT: '0',
      PROFILE: 'development',
      LOG_LEVEL: 'warn',
      PRICES: 'fixed',
      ROUTES: 'none',
    });
    const ours = await deliveredPerSecond(database, { worker: worker.child, receiver: receiver.child }, count).finally(
      () => stop(worker.child),
    );

    const after = await bare();
    const result = figure(ours, (before + after) / 2);
    say(`webhook_delivery ${result.ours}/s, ${ENDPOINTS} endpoints, ${count} deliveries`);
    say(`                 floor ${result.floor}/s (undici sending alone), ratio ${result.ratio}`);
    const fair = figure(ours, durable);
    say(`                 fair floor ${fair.floor}/s (undici selecting, sending and recording), ratio ${fair.ratio}`);
    return { webhook_delivery: result, webhook_delivery_durable: fair };
  } finally {
    await stop(receiver.child);
  }
}

async function sendBare(sending: BareSending): Promise<number> {
  const { child, first } = await start<{ perSecond: number }>('./bare-undici.ts', { SENDING: JSON.stringify(sending) });
  await stop(child);
  return first.perSecond;
}

/** Sends a copy of the queue, with the indexes that it needs. */
async function sendDurably(database: Bench['database'], sending: DurableSending): Promise<number> {
  await database.query('create table bench_due as select * from deliveries');
  await database.query(`create index on bench_due (id) where state = 'pending'`);
  await database.query('alter table bench_due add primary key (id)');
  await database.query('vacuum analyze bench_due');
  const { child, first } = await start<{ perSecond: number }>('./durable-undici.ts', {
    SENDING: JSON.stringify(sending),
  });
  await stop(child);
  await database.query('drop table bench_due');
  return first.perSecond;
}

/** Until all have arrived and are recorded. The database is asked only at the end, since looks at a queue cost it work. */
async function deliveredPerSecond(
  database: Bench['database'],
  { worker, receiver }: { worker: ChildProcess; receiver: ChildProcess },
  count: number,
): Promise<number> {
  await ask<Received>(receiver, 'received');
  const startedAt = performance.now();
  worker.send('go');
  for (let arrived = 0; arrived < count; arrived += (await ask<Received>(receiver, 'received')).count)
    await pause(LOOK_MS);
  while ((await database.query(`select from deliveries where state = 'pending' limit 1`)).length > 0)
    await pause(LOOK_MS);
  return (count * 1_000) / (performance.now() - startedAt);
}

/** Endpoints whose URLs end in their number, from 1 on. */
export async function seedEndpoints(database: Bench['database'], port: number): Promise<void> {
  await database.query(`
    insert into accounts (id, email, created_at)
    select 'acc_' || lpad(n::text, 24, '0'), 'delivery-' || n || '@merchant.example', now() from generate_series(1, ${ACCOUNTS}) n`);
  await database.query(`
    insert into webhook_endpoints (id, account_id, livemode, url, events, secret, status, lane, created_at)
    select 'we_' || lpad(n::text, 24, '0'), 'acc_' || lpad((1 + n % ${ACCOUNTS})::text, 24, '0'), true, 'http://127.0.0.1:${port}/' || n,
           array['payment.paid'], '\\x00', 'active', 'healthy', now()
      from generate_series(1, ${ENDPOINTS}) n`);
}

/** Deliveries to all endpoints in turn, of events with numbers from `from` on. */
export async function seedDeliveries(
  database: Bench['database'],
  { from, count, body }: { from: number; count: number; body: string },
): Promise<void> {
  const numbers = `generate_series(${from}, ${from + count - 1}) n`;
  await database.query(
    `
    insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    select 'evt_' || lpad(n::text, 24, '0'), 'acc_' || lpad((1 + (1 + n % ${ENDPOINTS}) % ${ACCOUNTS})::text, 24, '0'), true,
           'pay_' || lpad(n::text, 24, '0'), 3, 'payment.paid', convert_to($1, 'UTF8'), now(),
           now() - (n - ${from}) * interval '1 millisecond'
      from ${numbers}`,
    [body],
  );
  await database.query(`
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
    select 'dlv_' || lpad(n::text, 24, '0'), 'acc_' || lpad((1 + (1 + n % ${ENDPOINTS}) % ${ACCOUNTS})::text, 24, '0'), true,
           'we_' || lpad((1 + n % ${ENDPOINTS})::text, 24, '0'), 'evt_' || lpad(n::text, 24, '0'), 'payment.paid', 'pending',
           event.recorded_at, event.recorded_at, event.recorded_at
      from ${numbers} join events event on event.id = 'evt_' || lpad(n::text, 24, '0')`);
  await database.query('vacuum analyze events');
  await database.query('vacuum analyze deliveries');
}

/** The size of an event with a little metadata. */
export function sampleBody(): string {
  return JSON.stringify({
    id: 'evt_000000000000000000000000',
    type: 'payment.paid',
    created: '2026-03-14T09:26:53.589Z',
    data: { metadata: { fill: 'x'.repeat(1_200) } },
  });
}
