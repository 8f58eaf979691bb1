import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from './bench.ts';
import type { PeerSending } from './peer-worker.ts';
import { start, stop } from './processes.ts';
import type { Received } from './receiver.ts';
import { ENDPOINTS, sampleBody, seedDeliveries, seedEndpoints } from './webhook-delivery.ts';

const ROUNDS = 5;
const MAX_DELIVERIES = 60_000;
/** How long nothing may arrive before the rest is given up. */
const GIVEN_UP_MS = 45_000;
const LOOK_MS = 25;

/** A queue of webhooks with a worker. */
interface Queue {
  name: string;
  /** How many jobs are not finished. */
  left: string;
  /** Adds deliveries, and starts a worker that begins them at `go`. */
  ready(from: number, count: number): Promise<ChildProcess>;
}

interface Run {
  /** Per second, between the first and the last that arrived. */
  perSecond: number;
  received: number;
}

/**
 * The webhook queue beside two published ones, on the same server, receiver and bodies: in turn, with one endpoint that
 * takes nine seconds and one that is dead, while a snapshot is held (`--minutes`, 1 by default), and after a kill.
 */
export async function webhookQueues({ database, rows, minutes, say }: Bench): Promise<Record<string, unknown>> {
  const count = Math.min(rows, MAX_DELIVERIES);
  const receiver = await start<{ port: number }>('./receiver.ts');
  const body = sampleBody();
  await seedEndpoints(database, receiver.first.port);
  await database.query('create table bench_bodies (id text primary key, body bytea not null)');
  await database.query('create table bench_attempts (event text, status integer, at timestamptz default now())');
  let next = 1;
  const queues = [ours(), peer('pg-boss'), peer('graphile-worker')];
  const figures: Record<string, unknown> = {};
  try {
    say(`webhook_queues   deliveries/s, ${ENDPOINTS} endpoints, ${count} deliveries a round`);
    for (const { name, rates } of await inTurn(queues, ROUNDS)) {
      figures[`${name}_per_second`] = rates;
      say(`  free           ${name.padEnd(15)} ${rates.join(' ')}, median ${median(rates)}`);
    }
    await withBadEndpoints();
    for (const queue of queues) await whileSnapshotIsHeld(queue);
    for (const queue of queues) await afterKill(queue);
    return { webhook_queues: figures };
  } finally {
    await stop(receiver.child);
  }

  async function inTurn(all: readonly Queue[], rounds: number): Promise<{ name: string; rates: number[] }[]> {
    const results = all.map(({ name }) => ({ name, rates: [] as number[] }));
    for (let round = 0; round < rounds; round += 1)
      for (const [at, queue] of all.entries()) results[at]?.rates.push((await deliver(queue, count)).perSecond);
    return results;
  }

  /** A round that ends when everything has arrived, or nothing more does. */
  async function deliver(queue: Queue, expected: number): Promise<Run> {
    const worker = await queue.ready(next, count);
    next += count;
    try {
      await ask();
      worker.send('go');
      const run = await until(expected, worker);
      // The last outcomes are written after the last arrival.
      for (let waited = 0; waited < 200 && (await leftOf(queue)) > count - expected; waited += 1) await pause(LOOK_MS);
      return run;
    } finally {
      await stop(worker);
    }
  }

  async function until(expected: number, worker: ChildProcess): Promise<Run> {
    let [received, firstMs, lastMs] = [0, 0, 0];
    let heardAt = performance.now();
    while (received < expected && performance.now() - heardAt < GIVEN_UP_MS) {
      if (worker.exitCode !== null) throw new Error(`the worker ended with ${worker.exitCode}`);
      await pause(LOOK_MS);
      const more = await ask();
      if (more.count === 0) continue;
      if (received === 0) firstMs = more.firstMs;
      [received, lastMs, heardAt] = [received + more.count, more.lastMs, performance.now()];
    }
    return { received, perSecond: Math.round((received * 1_000) / Math.max(1, lastMs - firstMs)) };
  }

  async function withBadEndpoints(): Promise<void> {
    await setUrls(database, { first: `http://127.0.0.1:${receiver.first.port}/slow`, second: 'http://127.0.0.1:1/' });
    for (const queue of [ours(), peer('pg-boss', true), peer('graphile-worker', true)]) {
      const healthy = count - goesToBad(next, count);
      const { received, perSecond } = await deliver(queue, healthy);
      figures[`${queue.name}_bad_endpoints`] = { received, healthy, perSecond };
      say(`  bad endpoints  ${queue.name.padEnd(15)} ${perSecond}/s, ${received} of ${healthy} to healthy ones`);
      await forget(queue);
    }
    const urls = [1, 2].map((endpoint) => `http://127.0.0.1:${receiver.first.port}/${endpoint}`) as [string, string];
    await setUrls(database, { first: urls[0], second: urls[1] });
  }

  /** What is left for the bad endpoints would be in the next measurement. */
  async function forget({ name }: Queue): Promise<void> {
    if (name === 'pg-boss') await database.query(`update pgboss.job set state = 'cancelled' where state < 'completed'`);
    else if (name === 'graphile-worker') await database.query('delete from graphile_worker._private_jobs');
    else {
      await database.query('delete from delivery_leases');
      await database.query(`delete from deliveries where state = 'pending'`);
      await database.query(`update webhook_endpoints set lane = 'healthy', status = 'active'`);
    }
  }

  async function whileSnapshotIsHeld(queue: Queue): Promise<void> {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query('begin isolation level repeatable read');
      await holder.query('select count(*) from accounts');
      const untilMs = performance.now() + minutes * 60_000;
      const rates: number[] = [];
      while (rates.length < 2 || performance.now() < untilMs) rates.push((await deliver(queue, count)).perSecond);
      figures[`${queue.name}_snapshot`] = rates;
      say(`  snapshot held  ${queue.name.padEnd(15)} ${rates.join(' ')}`);
    } finally {
      await holder.end();
    }
  }

  async function afterKill(queue: Queue): Promise<void> {
    const first = await queue.ready(next, count);
    const second = await queue.ready(next + count, 0);
    next += count;
    await ask();
    first.send('go');
    let received = 0;
    while (received < count / 3) {
      await pause(LOOK_MS);
      received += (await ask()).count;
    }
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await gone;
    const killedAt = performance.now();
    second.send('go');
    let lastMs = 0;
    while ((await leftOf(queue)) > 0 && performance.now() - killedAt < GIVEN_UP_MS) await pause(LOOK_MS);
    lastMs = performance.now() - killedAt;
    received += (await ask()).count;
    const left = await leftOf(queue);
    await stop(second);
    const seconds = Math.round(lastMs / 100) / 10;
    figures[`${queue.name}_killed`] = { seconds, left, received, count };
    say(
      `  kill -9        ${queue.name.padEnd(15)} ${left > 0 ? `${left} still waiting after ${seconds} s` : `all after ${seconds} s`}, ${Math.max(0, received - count)} sent twice`,
    );
    await forget(queue);
  }

  async function ask(): Promise<Received> {
    receiver.child.send('received');
    const [received] = (await once(receiver.child, 'message')) as [Received];
    return received;
  }

  async function leftOf({ left }: Queue): Promise<number> {
    const [row] = await database.query<{ left: string }>(`select count(*) as left from ${left}`);
    return Number(row?.left);
  }

  function ours(): Queue {
    return {
      name: 'ours',
      left: `deliveries where state = 'pending'`,
      async ready(from, added) {
        if (added > 0) await seedDeliveries(database, { from, count: added, body });
        const env = { ROLE: 'worker', PORT: '0', PROFILE: 'development', PRICES: 'fixed', ROUTES: 'none' };
        const place = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, LOG_LEVEL: 'error' };
        return (await start('./worker.ts', { ...env, ...place })).child;
      },
    };
  }

  function peer(name: PeerSending['peer'], hasBadEndpoints = false): Queue {
    const place = { url: database.url, port: receiver.first.port };
    const sending: PeerSending = { peer: name, ...place, endpoints: ENDPOINTS, hasBadEndpoints };
    return {
      name,
      left: name === 'pg-boss' ? `pgboss.job where state < 'completed'` : 'graphile_worker._private_jobs',
      async ready(from, added) {
        await database.query(
          `insert into bench_bodies select n::text, convert_to($1, 'UTF8') from generate_series(${from}, ${from + added - 1}) n`,
          [body],
        );
        const { child } = await start('./peer-worker.ts', { SENDING: JSON.stringify(sending) });
        child.send({ from, count: added });
        await once(child, 'message');
        await database.query(`vacuum analyze ${name === 'pg-boss' ? 'pgboss.job' : 'graphile_worker._private_jobs'}`);
        return child;
      },
    };
  }
}

/** How many of these deliveries go to the first two endpoints. */
function goesToBad(from: number, count: number): number {
  return Array.from({ length: count }, (_, at) => (from + at) % ENDPOINTS).filter((one) => one < 2).length;
}

async function setUrls(database: Bench['database'], { first, second }: { first: string; second: string }) {
  for (const [at, url] of [first, second].entries())
    await database.query(`update webhook_endpoints set url = $1 where id = 'we_' || lpad($2, 24, '0')`, [
      url,
      String(at + 1),
    ]);
}

function median(rates: readonly number[]): number {
  return rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
}
