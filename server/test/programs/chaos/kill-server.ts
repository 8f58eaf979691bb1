import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { bundleService } from './bundle.ts';

/**
 * Kills the service at random moments while clients create sessions with keys and repeat unanswered requests. The
 * clients' own records are the oracle: every acknowledged session must exist, unchanged, once. `npm run program --
 * chaos-kill --kills 1000 [--clients 8] [--seed 1]`
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});
const kills = Number(values.kills);
const random = seeded(Number(values.seed));
/** Maximum time between a request and the kill. */
const MAX_KILL_DELAY_MS = 300;

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-kill-'));
const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'silent' }) });
const port = await freePort();
const service = await bundleService();
const url = `http://127.0.0.1:${port}`;
const started = performance.now();

interface Acknowledged {
  id: string;
  body: string;
}

const acknowledged = new Map<string, Acknowledged>();
const figures = { kills: 0, sent: 0, acknowledged: 0, unanswered: 0, refused: 0, replayed: 0 };
let isOver = false;
let hurry: (() => void) | undefined;
/** Clients wait for the server to be back. */
let up = Promise.resolve();

try {
  let server = await startServer();
  const testKey = await readTestKey();
  const clients = Array.from({ length: Number(values.clients) }, (_, index) => runClient(index, testKey));

  // A stop request ends the run and judges what there is.
  let isEnough = false;
  process.once('SIGINT', () => {
    isEnough = true;
  });
  while (figures.kills < kills && !isEnough) {
    await new Promise<void>((resolve) => {
      hurry = resolve;
    });
    await pause(random() * MAX_KILL_DELAY_MS);
    const gone = new Promise((resolve) => server.once('exit', resolve));
    let isUp: () => void = () => {};
    up = new Promise((resolve) => {
      isUp = resolve;
    });
    server.kill('SIGKILL');
    await gone;
    figures.kills++;
    if (figures.kills % 50 === 0)
      process.stderr.write(
        `${figures.kills} kills, ${acknowledged.size} acknowledged, ${Math.round((performance.now() - started) / 1000)} s\n`,
      );
    server = await startServer();
    isUp();
  }
  isOver = true;
  hurry?.();
  await Promise.all(clients);
  await judge(testKey);
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
} finally {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Creates one session after the other, each repeated with its key until it is acknowledged. */
async function runClient(client: number, key: string): Promise<void> {
  for (let at = 0; !isOver; at++) {
    const idempotencyKey = `client-${client}-order-${at}`;
    while (!acknowledged.has(idempotencyKey)) {
      figures.sent++;
      hurry?.();
      const answer = await create(key, idempotencyKey).catch(() => undefined);
      if (answer === undefined) {
        figures.unanswered++;
        await up;
      } else if (answer.status === 201) {
        figures.acknowledged++;
        if (answer.replayed) figures.replayed++;
        acknowledged.set(idempotencyKey, {
          id: (JSON.parse(answer.body) as { data: { id: string } }).data.id,
          body: answer.body,
        });
      } else {
        figures.refused++;
        if (answer.status !== 429 && answer.status !== 503 && answer.status !== 409)
          throw new Error(`unexpected ${answer.status}: ${answer.body}`);
        await pause(20);
      }
    }
  }
}

async function create(
  key: string,
  idempotencyKey: string,
): Promise<{ status: number; body: string; replayed: boolean }> {
  const response = await fetch(`${url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ amount: '10.00', order_id: idempotencyKey }),
    signal: AbortSignal.timeout(10_000),
  });
  return {
    status: response.status,
    body: await response.text(),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

/** Looks up every acknowledged session, repeats every key, and counts each key's sessions in the database. */
async function judge(key: string): Promise<void> {
  let lost = 0;
  let changed = 0;
  for (const [idempotencyKey, { body }] of acknowledged) {
    const again = await patiently(() => create(key, idempotencyKey));
    if (again.status !== 201) lost++;
    else if (again.body !== body || !again.replayed) changed++;
  }
  const pool = new Pool({ connectionString: database.url });
  const { rows } = await pool.query<{ order_id: string; sessions: string; events: string; payments: string }>(`
    select s.order_id, count(distinct s.id) as sessions, count(distinct p.id) as payments, count(distinct e.id) as events
      from checkout_sessions s left join payments p on p.session_id = s.id left join events e on e.payment_id = p.id
     where s.order_id is not null group by s.order_id`);
  await pool.end();
  const several = rows.filter(({ sessions }) => sessions !== '1').length;
  const incomplete = rows.filter(({ payments, events }) => payments !== '1' || events !== '1').length;
  const missing = [...acknowledged.keys()].filter(
    (idempotencyKey) => !rows.some(({ order_id: orderId }) => orderId === idempotencyKey),
  ).length;

  const ledger = {
    ...figures,
    seed: Number(values.seed),
    clients: Number(values.clients),
    seconds: Math.round((performance.now() - started) / 1000),
    keys: acknowledged.size,
    acknowledged_lost: lost + missing,
    answers_changed: changed,
    keys_with_several_sessions: several,
    sessions_without_payment_or_event: incomplete,
    lost_upper_bound_95_percent: Number((3 / acknowledged.size).toPrecision(2)),
  };
  console.log(JSON.stringify(ledger, null, 2));
  if (lost + missing + changed + several + incomplete > 0) process.exitCode = 1;
}

/** Retries while the account's rate limit rejects the request. */
async function patiently<T extends { status: number }>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await act();
    if (answer.status !== 429) return answer;
    await pause(50);
  }
}

/** The demo account is created right after the server starts to listen. */
async function readTestKey(): Promise<string> {
  for (;;) {
    const text = await readFile(join(dataDir, 'demo.json'), 'utf8').catch(() => undefined);
    if (text) return (JSON.parse(text) as { testKey: string }).testKey;
    await pause(20);
  }
}

async function startServer(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [service], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // Compiled code is cached between starts, so that most of the time goes into serving.
    env: {
      NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_SECOND: '100000',
      ROUTES: 'none',
      PRICES: 'fixed',
    },
  });
  for (;;) {
    const ready = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return child;
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode} instead of starting`);
    await pause(15);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
