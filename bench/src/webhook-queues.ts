import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from './bench.ts';
import { cpuOf, cpuOfServer } from './cpu.ts';
import type { PeerSending } from './peer-worker.ts';
import { ask, start, stop } from './processes.ts';
import type { Received } from './receiver.ts';
import { ENDPOINTS, LOOK_MS, sampleBody, seedDeliveries, seedEndpoints } from './webhook-delivery.ts';

/** How long nothing may arrive before the rest is given up. */
const GIVEN_UP_MS = 45_000;
/** For the last outcomes, which are written after the last arrival. */
const RECORDED_MS = 250;

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
  /** CPU time per delivery, in microseconds. */
  postgres: number;
  worker: number;
}

/** The columns of the table. */
const FREE = 'free/s';
const POSTGRES = 'PostgreSQL µs';
const WORKER = 'worker µs';
const SLOW = 'slow+dead/s';
const HEALTHY = 'to healthy';
const SNAPSHOT = 'snapshot/s';
const REST = 'kill: rest after';
const LOST = 'lost';
const TWICE = 'twice';

/**
 * The webhook queue beside two published ones, on the same server, receiver and bodies: in turn, with one endpoint that
 * takes nine seconds and one that is dead, while a snapshot is held (first and last window), and after a kill.
 */
export async function webhookQueues(bench: Bench): Promise<Record<string, unknown>> {
  const receiver = await start<{ port: number }>('./receiver.ts');
  try {
    const rig = new Rig(bench, receiver);
    await seedEndpoints(bench.database, receiver.first.port);
    await bench.database.query('create table bench_bodies (id text primary key, body bytea not null)');
    await bench.database.query(
      'create table bench_attempts (event text, status integer, at timestamptz default now())',
    );
    const queues = [rig.ours(), rig.peer('pg-boss'), rig.peer('graphile-worker')];
    await rig.inTurn(queues);
    await rig.withBadEndpoints();
    for (const queue of queues) await rig.whileSnapshotIsHeld(queue);
    for (const queue of queues) await rig.afterKill(queue);
    rig.print();
    return { webhook_queues: rig.figures };
  } finally {
    await stop(receiver.child);
  }
}

class Rig {
  /** By queue and column. */
  readonly figures: Record<string, Record<string, number | string>> = {};
  readonly #bench: Bench;
  readonly #receiver: { child: ChildProcess; first: { port: number } };
  readonly #count: number;
  readonly #body = sampleBody();
  /** The number of the next delivery. */
  #next = 1;

  constructor(bench: Bench, receiver: { child: ChildProcess; first: { port: number } }) {
    this.#bench = bench;
    this.#receiver = receiver;
    this.#count = bench.deliveries;
  }

  async inTurn(queues: readonly Queue[]): Promise<void> {
    this.#bench.say(`webhook_queues   ${ENDPOINTS} endpoints, ${this.#count} deliveries a round`);
    const results = queues.map((queue) => ({ queue, runs: [] as Run[] }));
    for (let round = 0; round < this.#bench.rounds; round += 1)
      for (const { queue, runs } of results) {
        const run = await this.#deliver(queue, this.#count);
        runs.push(run);
        this.#note(queue, { [FREE]: run.perSecond, [POSTGRES]: run.postgres, [WORKER]: run.worker });
      }
    for (const { queue, runs } of results) {
      const middle = (of: (run: Run) => number) => median(runs.map(of));
      this.#keep(queue, {
        [FREE]: middle(({ perSecond }) => perSecond),
        [POSTGRES]: middle(({ postgres }) => postgres),
        [WORKER]: middle(({ worker }) => worker),
      });
    }
  }

  async withBadEndpoints(): Promise<void> {
    const { port } = this.#receiver.first;
    await setUrls(this.#bench.database, { first: `http://127.0.0.1:${port}/slow`, second: 'http://127.0.0.1:1/' });
    for (const queue of [this.ours(), this.peer('pg-boss', true), this.peer('graphile-worker', true)]) {
      const healthy = this.#count - goesToBad(this.#next, this.#count);
      const { received, perSecond } = await this.#deliver(queue, healthy);
      this.#note(queue, { [SLOW]: perSecond, [HEALTHY]: `${received} of ${healthy}` });
      await this.#forget(queue);
    }
    await setUrls(this.#bench.database, { first: `http://127.0.0.1:${port}/1`, second: `http://127.0.0.1:${port}/2` });
  }

  async whileSnapshotIsHeld(queue: Queue): Promise<void> {
    const holder = new pg.Client({ connectionString: this.#bench.database.url });
    await holder.connect();
    try {
      await holder.query('begin isolation level repeatable read');
      await holder.query('select count(*) from accounts');
      const untilMs = performance.now() + this.#bench.minutes * 60_000;
      const rates: number[] = [];
      while (rates.length < 2 || performance.now() < untilMs)
        rates.push((await this.#deliver(queue, this.#count)).perSecond);
      this.#note(queue, { [SNAPSHOT]: rates.join(' ') });
      this.#keep(queue, { [SNAPSHOT]: `${rates[0]} → ${rates.at(-1)}` });
    } finally {
      await holder.end();
    }
  }

  async afterKill(queue: Queue): Promise<void> {
    const count = this.#count;
    const first = await queue.ready(this.#next, count);
    const second = await queue.ready(this.#next + count, 0);
    this.#next += count;
    let arrived = { ...(await this.#ask('ids')), count: 0 };
    const look = async () => {
      await pause(LOOK_MS);
      const more = await this.#ask();
      arrived = { ...more, count: arrived.count + more.count };
    };
    first.send('go');
    while (arrived.count < count / 3) await look();
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await gone;
    const killedAt = performance.now();
    second.send('go');
    while (arrived.different < count && performance.now() - killedAt < GIVEN_UP_MS) await look();
    const seconds = Math.round((performance.now() - killedAt) / 100) / 10;
    await pause(RECORDED_MS);
    await look();
    const left = await this.#leftOf(queue);
    await stop(second);
    this.#note(queue, {
      [REST]: arrived.different < count ? `${count - arrived.different} wait` : `${seconds} s`,
      [LOST]: Math.max(0, count - arrived.different - left),
      [TWICE]: arrived.count - arrived.different,
    });
    await this.#forget(queue);
  }

  print(): void {
    const columns = [FREE, POSTGRES, WORKER, SLOW, HEALTHY, SNAPSHOT, REST, LOST, TWICE];
    const rows = Object.entries(this.figures).map(([name, of]) => [name, ...columns.map((one) => `${of[one]}`)]);
    const lines = [['', ...columns], ...rows];
    const widths = ['', ...columns].map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
    for (const line of lines) this.#bench.say(line.map((text, at) => text.padEnd((widths[at] ?? 0) + 2)).join(''));
  }

  ours(): Queue {
    const { database } = this.#bench;
    return {
      name: 'ours',
      left: `deliveries where state = 'pending'`,
      ready: async (from, count) => {
        if (count > 0) await seedDeliveries(database, { from, count, body: this.#body });
        const env = { ROLE: 'worker', PORT: '0', PROFILE: 'development', PRICES: 'fixed', ROUTES: 'none' };
        const place = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, LOG_LEVEL: 'error' };
        return (await start('./worker.ts', { ...env, ...place })).child;
      },
    };
  }

  peer(name: PeerSending['peer'], hasBadEndpoints = false): Queue {
    const { database } = this.#bench;
    const place = { url: database.url, port: this.#receiver.first.port };
    const sending: PeerSending = { peer: name, ...place, endpoints: ENDPOINTS, hasBadEndpoints };
    return {
      name,
      left: name === 'pg-boss' ? `pgboss.job where state < 'completed'` : 'graphile_worker._private_jobs',
      ready: async (from, count) => {
        await database.query(
          `insert into bench_bodies select n::text, convert_to($1, 'UTF8') from generate_series(${from}, ${from + count - 1}) n`,
          [this.#body],
        );
        const { child } = await start('./peer-worker.ts', { SENDING: JSON.stringify(sending) });
        child.send({ from, count });
        await once(child, 'message');
        await database.query(`vacuum analyze ${name === 'pg-boss' ? 'pgboss.job' : 'graphile_worker._private_jobs'}`);
        return child;
      },
    };
  }

  /** A round that ends when everything has arrived, or nothing more does. */
  async #deliver(queue: Queue, expected: number): Promise<Run> {
    const worker = await queue.ready(this.#next, this.#count);
    this.#next += this.#count;
    try {
      await this.#ask();
      const before = await this.#cpu(worker);
      worker.send('go');
      const run = await this.#until(expected, worker);
      await pause(RECORDED_MS);
      const after = await this.#cpu(worker);
      const each = (from: number, to: number) => Math.round((to - from) / run.received);
      const rest = this.#count - expected;
      for (let waited = 0; waited < 200 && (await this.#leftOf(queue)) > rest; waited += 1) await pause(LOOK_MS);
      const { postgres, worker: own } = before;
      return { ...run, postgres: each(postgres, after.postgres), worker: each(own, after.worker) };
    } finally {
      await stop(worker);
    }
  }

  /** What the server and the worker have used. */
  async #cpu(worker: ChildProcess): Promise<{ postgres: number; worker: number }> {
    const [backend] = await this.#bench.database.query<{ pid: number }>('select pg_backend_pid() as pid');
    return { postgres: cpuOfServer(backend?.pid ?? 0) ?? Number.NaN, worker: cpuOf(worker.pid ?? 0) ?? Number.NaN };
  }

  async #until(expected: number, worker: ChildProcess): Promise<Pick<Run, 'perSecond' | 'received'>> {
    let [received, firstMs, lastMs] = [0, 0, 0];
    let heardAt = performance.now();
    while (received < expected && performance.now() - heardAt < GIVEN_UP_MS) {
      if (worker.exitCode !== null) throw new Error(`the worker ended with ${worker.exitCode}`);
      await pause(LOOK_MS);
      const more = await this.#ask();
      if (more.count === 0) continue;
      if (received === 0) firstMs = more.firstMs;
      [received, lastMs, heardAt] = [received + more.count, more.lastMs, performance.now()];
    }
    return { received, perSecond: Math.round((received * 1_000) / Math.max(1, lastMs - firstMs)) };
  }

  /** What is left for the bad endpoints would be in the next measurement. */
  async #forget({ name }: Queue): Promise<void> {
    const { database } = this.#bench;
    if (name === 'pg-boss') await database.query(`update pgboss.job set state = 'cancelled' where state < 'completed'`);
    else if (name === 'graphile-worker') await database.query('delete from graphile_worker._private_jobs');
    else {
      await database.query('delete from delivery_leases');
      await database.query(`delete from deliveries where state = 'pending'`);
      await database.query(`update webhook_endpoints set lane = 'healthy', status = 'active'`);
    }
  }

  #ask(message = 'received'): Promise<Received> {
    return ask(this.#receiver.child, message);
  }

  async #leftOf({ left }: Queue): Promise<number> {
    const [row] = await this.#bench.database.query<{ left: string }>(`select count(*) as left from ${left}`);
    return Number(row?.left);
  }

  #note(queue: Queue, figures: Record<string, number | string>): void {
    const said = Object.entries(figures).map(([column, figure]) => `${column} ${figure}`);
    this.#bench.say(`  ${queue.name.padEnd(16)} ${said.join(', ')}`);
    this.#keep(queue, figures);
  }

  #keep({ name }: Queue, figures: Record<string, number | string>): void {
    this.figures[name] = { ...this.figures[name], ...figures };
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
