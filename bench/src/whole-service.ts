import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench } from './bench.ts';
import { stop, stoppedWithBench } from './processes.ts';

const SERVER = fileURLToPath(new URL('../../server/bin/quittance-server.js', import.meta.url));
const PAYMENTS = 400;
const AT_ONCE = 4;
const IDLE_MS = 10_000;
const KEY = /sk_test_\w+/;
const KEY_TIMEOUT_MS = 60_000;

export interface WholeService {
  /** Milliseconds from the start of the process to the first healthy response: with a new database, and again. */
  firstStartMs: number;
  secondStartMs: number;
  /** Memory of the service and its embedded database after ten idle seconds; shared pages are counted once. */
  idleMb: number;
  /** Milliseconds from the settlement of a payment to its webhook at the receiver. */
  paidToWebhookMs: { p50: number; p99: number };
}

/** What an operator sees of `quittance-server start` with the embedded database: starts, idle memory, webhooks. */
export async function wholeService({ database, say }: Bench): Promise<{ whole_service: WholeService }> {
  const dataDir = await mkdtemp(join(database.dataDir, 'whole-'));
  const received = new Map<string, number>();
  const running: Running[] = [];
  const receiver = createServer((request, response) => {
    const atMs = Date.now();
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.end();
      const event = JSON.parse(body) as { type: string; created: string; data: { id: string } };
      if (event.type === 'payment.paid') received.set(event.data.id, atMs - Date.parse(event.created));
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const first = await startServer(dataDir);
    running.push(first);
    await stop(first.child);
    const service = await startServer(dataDir, first.key);
    running.push(service);
    await pause(IDLE_MS);
    const idleMb = memoryMb(service.child.pid ?? 0);
    await pay(service, (receiver.address() as AddressInfo).port, received);
    await stop(service.child);
    const delays = [...received.values()].sort((a, b) => a - b);
    const at = (share: number) => delays[Math.floor(share * (delays.length - 1))] ?? Number.NaN;
    const result: WholeService = {
      firstStartMs: first.startMs,
      secondStartMs: service.startMs,
      idleMb,
      paidToWebhookMs: { p50: at(0.5), p99: at(0.99) },
    };
    say(
      `whole_service    first start ${first.startMs} ms, second ${service.startMs} ms, idle ${idleMb} MB with its database`,
    );
    say(
      `                 paid to webhook p50 ${result.paidToWebhookMs.p50} ms, p99 ` +
        `${result.paidToWebhookMs.p99} ms, ${delays.length} payments`,
    );
    return { whole_service: result };
  } finally {
    for (const { child } of running) await stop(child);
    receiver.closeAllConnections();
    receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Running {
  child: ChildProcess;
  url: string;
  key: string;
  startMs: number;
}

async function startServer(dataDir: string, knownKey?: string): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedMs = performance.now();
  // It starts a database of its own, whatever the bench runs on.
  const { DATABASE_URL: _given, ...env } = process.env;
  const child = stoppedWithBench(
    spawn(process.execPath, [SERVER, 'start', '--demo'], {
      env: {
        ...env,
        PROFILE: 'development',
        PORT: String(port),
        DATA_DIR: dataDir,
        LOG_LEVEL: 'error',
        PRICES: 'fixed',
        ROUTES: 'none',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let printed = '';
  child.stdout?.on('data', (chunk) => (printed += chunk));
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended: ${printed}`);
    await pause(20);
  }
  const startMs = Math.round(performance.now() - startedMs);
  // The key is printed by the first start only, a moment after the server is up.
  const deadlineMs = performance.now() + KEY_TIMEOUT_MS;
  while (knownKey === undefined && !KEY.test(printed)) {
    if (performance.now() > deadlineMs) throw new Error(`the server printed no key: ${printed}`);
    await pause(50);
  }
  return { child, url, key: knownKey ?? KEY.exec(printed)?.[0] ?? '', startMs };
}

/** Pays sessions in test mode, a few at once, and waits for their webhooks. */
async function pay({ url, key }: Running, port: number, received: ReadonlyMap<string, number>): Promise<void> {
  const call = async (path: string, body: object) => {
    const response = await fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: { id: string } }).data;
  };
  await call('/webhook-endpoints', { url: `http://127.0.0.1:${port}/`, events: ['payment.paid'] });
  let left = PAYMENTS;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const session = await call('/checkout/sessions', { amount: '10.00', currency: 'USD' });
      await call(`/test_helpers/checkout/sessions/${session.id}/pay`, {
        pay_asset: 'USDC',
        pay_network: 'base',
        outcome: 'paid',
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  for (let waited = 0; received.size < PAYMENTS && waited < 200; waited += 1) await pause(100);
  if (received.size < PAYMENTS) throw new Error(`${PAYMENTS - received.size} webhooks did not arrive`);
}

/** Proportional memory of a process and its descendants. */
function memoryMb(root: number): number {
  const parents = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [root];
  for (const pid of family) family.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  const kilobytes = family.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  });
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createPlainServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
