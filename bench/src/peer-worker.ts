import { createHmac } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { Pool } from 'undici';
import { endWithBench } from './ends.ts';

export interface PeerSending {
  peer: 'pg-boss' | 'graphile-worker';
  url: string;
  port: number;
  endpoints: number;
  /** The first endpoint answers after nine seconds, and at the second one nothing listens. */
  hasBadEndpoints: boolean;
}

interface Job {
  event: string;
  endpoint: number;
}

const CONNECTIONS = 96;
const ADDED_AT_ONCE = 2_000;
const TIMEOUT_MS = 10_000;

// A published queue doing what the service's worker does, as its documentation advises for many small jobs: it reads the
// bodies and records the attempts in batches, and signs once. A message with numbers adds jobs; `go` starts the work.
const sending = JSON.parse(process.env.SENDING ?? '') as PeerSending;
const database = new pg.Pool({ connectionString: sending.url, max: 4 });
const [receiver, dead] = [sending.port, 1].map(
  (port) => new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, headersTimeout: TIMEOUT_MS }),
) as [Pool, Pool];
const bodyOf = batched(loadBodies);
const noteAttempt = batched(recordAttempts);
const queue = sending.peer === 'pg-boss' ? await pgBoss() : await graphile();
endWithBench(async () => process.exit(0));
process.on('message', async (message: 'go' | { from: number; count: number }) => {
  if (message === 'go') return queue.work();
  const jobs = Array.from({ length: message.count }, (_, at) => ({
    event: String(message.from + at),
    endpoint: 1 + ((message.from + at) % sending.endpoints),
  }));
  for (let at = 0; at < jobs.length; at += ADDED_AT_ONCE) await queue.add(jobs.slice(at, at + ADDED_AT_ONCE));
  process.send?.({ added: jobs.length });
});
process.send?.({ ready: true });

interface Queue {
  add(jobs: readonly Job[]): Promise<unknown>;
  work(): Promise<unknown>;
}

async function pgBoss(): Promise<Queue> {
  const boss = new PgBoss({ connectionString: sending.url, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('send', { heartbeatSeconds: 10, retryLimit: 5, retryDelay: 5 });
  const options = {
    batchSize: 256,
    localConcurrency: 8,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
    perJobResults: true,
  } as const;
  return {
    add: (jobs) =>
      boss.insert(
        'send',
        jobs.map((data) => ({ data })),
      ),
    work: () =>
      boss.work<Job, unknown, typeof options>('send', options, (jobs) =>
        Promise.all(jobs.map(async ({ id, data }) => ({ id, status: (await deliver(data)) ? 'completed' : 'failed' }))),
      ),
  };
}

async function graphile(): Promise<Queue> {
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ connectionString: sending.url, logger });
  await utils.migrate();
  return {
    add: (jobs) => utils.addJobs(jobs.map((payload) => ({ identifier: 'send', payload, maxAttempts: 6 }))),
    work: () =>
      run({
        connectionString: sending.url,
        concurrency: CONNECTIONS,
        noHandleSignals: true,
        taskList: {
          send: async (job) => {
            if (!(await deliver(job as Job))) throw new Error('not delivered');
          },
        },
        preset: {
          worker: {
            localQueue: { size: 512 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
            maxPoolSize: 8,
            logger,
          },
        },
      }),
  };
}

async function deliver({ event, endpoint }: Job): Promise<boolean> {
  const body = await bodyOf(event);
  const signature = createHmac('sha256', 'secret')
    .update(`${Math.floor(Date.now() / 1000)}.`)
    .update(body)
    .digest('hex');
  const headers = { 'content-type': 'application/json', 'webhook-id': event, 'webhook-signature': signature };
  const status = await post(endpoint, body, headers).catch(() => null);
  await noteAttempt({ event, status });
  return status === 200;
}

async function post(endpoint: number, body: Buffer, headers: Record<string, string>): Promise<number> {
  const [isSlow, isDead] = [1, 2].map((one) => sending.hasBadEndpoints && endpoint === one);
  const answer = await (isDead ? dead : receiver).request({
    method: 'POST',
    path: isSlow ? '/slow' : `/${endpoint}`,
    headers,
    body,
  });
  await answer.body.dump();
  return answer.statusCode;
}

async function loadBodies(events: readonly string[]): Promise<Buffer[]> {
  const { rows } = await database.query<{ id: string; body: Buffer }>({
    name: 'bodies',
    text: 'select id, body from bench_bodies where id = any ($1::text[])',
    values: [events],
  });
  const bodies = new Map(rows.map(({ id, body }) => [id, body]));
  return events.map((event) => bodies.get(event) as Buffer);
}

async function recordAttempts(attempts: readonly { event: string; status: number | null }[]): Promise<undefined[]> {
  await database.query({
    name: 'attempts',
    text: 'insert into bench_attempts (event, status) select * from unnest ($1::text[], $2::integer[])',
    values: [attempts.map(({ event }) => event), attempts.map(({ status }) => status)],
  });
  return attempts.map(() => undefined);
}

/** What is asked for while a batch is on its way is the next batch. */
function batched<In, Out>(work: (items: readonly In[]) => Promise<Out[]>): (item: In) => Promise<Out> {
  let waiting: { item: In; resolve: (out: Out) => void; reject: (error: unknown) => void }[] = [];
  let isBusy = false;
  const next = async (): Promise<void> => {
    isBusy = true;
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const outs = await work(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, at) => resolve(outs[at] as Out));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isBusy) void next();
    });
}
