/**
 * Shared rate limits while Redis changes its primary: under Sentinel behind HAProxy (by `deploy/redis/haproxy.cfg`), and
 * behind an address that moves while the former primary lives on as a replica, as a DNS name does. No request fails, every
 * second is limited, and the servers share their count again with the new primary.
 *
 *     npm run program -- limits-failover
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { newSecretKey } from '../../../src/platform/http/admission/credentials.ts';
import { haveSystemPackages, SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';
import { ask, type Instance, LIMIT, startInstance, startRedis } from './servers.ts';

const SERVERS = 2;
const SENTINELS = 3;
const DOWN_AFTER_MS = 1_000;
const RECOVERY_TIMEOUT_MS = 60_000;
const failures: string[] = [];
const log = pino({ level: 'silent' });

const needs = {
  '/usr/bin/redis-server': 'redis-server',
  '/usr/bin/redis-sentinel': 'redis-sentinel',
  '/usr/sbin/haproxy': 'haproxy',
};
if (!haveSystemPackages(needs)) process.exit(SKIPPED_EXIT_CODE);
await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'quittance-sentinel-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));

await underSentinel();
await behindAnAddressThatMoves();
for (const failure of failures) process.stderr.write(`FAILED: ${failure}\n`);
process.stdout.write(failures.length === 0 ? 'All held.\n' : '');
// The servers' connections would keep the process alive.
await stack.disposeAsync();
process.exit(failures.length === 0 ? 0 : 1);

async function underSentinel(): Promise<void> {
  const ports = [await freePort(), await freePort()] as const;
  const nodes = [await startNode(ports[0]), await startNode(ports[1], ['--replicaof', '127.0.0.1', String(ports[0])])];
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, (_, at) => startSentinel(at, ports[0])));
  const address = await startHaproxy(ports);
  const instances = await startInstances(address);
  await until(async () => (await infoOf(sentinels[0] as number)).includes(`slaves=1,sentinels=${SENTINELS}`));

  await changePrimary('primary killed, Sentinel elects the replica', instances, async () => {
    const gone = once(nodes[0] as NodeJS.EventEmitter, 'exit');
    nodes[0]?.kill('SIGKILL');
    await gone;
  });
  nodes[0] = await startNode(ports[0]);
  await until(async () => (await infoOf(ports[0])).includes('master_link_status:up'));
  await changePrimary('planned failover, the former primary lives on', instances, async () => {
    const sentinel = new Redis(sentinels[0] as number);
    await sentinel.call('sentinel', 'failover', 'quittance');
    sentinel.disconnect();
    await until(async () => (await infoOf(ports[1])).includes('role:slave'));
  });
  for (const { stop } of instances) await stop();
}

async function behindAnAddressThatMoves(): Promise<void> {
  const ports = [await freePort(), await freePort()] as const;
  for (const port of ports) await startNode(port);
  let target = ports[0];
  const sockets = new Set<Socket>();
  const address = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    address.close();
  });
  const instances = await startInstances(`redis://127.0.0.1:${(address.address() as AddressInfo).port}`);
  await changePrimary('address moves, open connections stay with the former primary', instances, async () => {
    target = ports[1];
    const former = new Redis(ports[0]);
    await former.replicaof('127.0.0.1', ports[1]);
    former.disconnect();
  });
  for (const { stop } of instances) await stop();
}

/** Sends more than is allowed all the time, while the primary changes. */
async function changePrimary(how: string, instances: Instance[], change: () => Promise<void>): Promise<void> {
  const key = newSecretKey(true);
  const answers: { status: number; atMs: number; tookMs: number }[] = [];
  let isOver = false;
  const load = Promise.all(
    instances.map(async (instance) => {
      while (!isOver) {
        await Promise.all(Array.from({ length: 10 }, async () => answers.push(await ask(instance, key))));
        await pause(20);
      }
    }),
  );
  await pause(1_000);
  await change();
  const changedMs = performance.now();
  // A busy machine may answer too late again later, which is not the failover.
  let aloneMs: number | undefined;
  let sharedMs: number | undefined;
  const watching = (async () => {
    while (!isOver) {
      const isAlone = instances.some(({ limiter }) => limiter.isDegraded());
      if (isAlone) aloneMs ??= performance.now();
      else if (aloneMs !== undefined) sharedMs ??= performance.now();
      await pause(5);
    }
  })();
  // A server that has not noticed the change yet is not degraded either.
  await pause(3 * DOWN_AFTER_MS);
  const isShared = await until(async () => instances.every(({ limiter }) => !limiter.isDegraded())).then(
    () => true,
    () => false,
  );
  await pause(2_000);
  isOver = true;
  await Promise.all([load, watching]);

  const wrong = answers.filter(({ status }) => status !== 200 && status !== 429).length;
  const allowed = answers.filter(({ status }) => status === 200).map(({ atMs }) => atMs);
  const most = Math.max(...allowed.map((at) => allowed.filter((other) => other >= at && other < at + 1_000).length));
  const slowestMs = Math.round(Math.max(...answers.map(({ tookMs }) => tookMs)));
  const again = isShared
    ? `shared again after ${Math.round((sharedMs ?? changedMs) - changedMs)} ms`
    : 'never shared again';
  process.stdout.write(
    `${how}: ${answers.length} answers, ${wrong} neither 200 nor 429; at most ${most} allowed in a second by ${SERVERS} servers; ` +
      `${again}; slowest answer ${slowestMs} ms\n`,
  );
  if (wrong > 0) failures.push(`${how}: ${wrong} answers were neither 200 nor 429`);
  if (!isShared) failures.push(`${how}: the servers never shared their count again`);
  // Each server allows its own limit meanwhile, and two windows can touch within a second.
  if (most > 2 * LIMIT * SERVERS) failures.push(`${how}: ${most} were allowed in a second`);
}

/** A replica writes the copy that it loads. */
function startNode(port: number, more: string[] = []): Promise<ChildProcess> {
  return startRedis('redis-server', port, ['--dir', folder, ...more]);
}

async function startInstances(redisUrl: string): Promise<Instance[]> {
  return Promise.all(Array.from({ length: SERVERS }, () => startInstance(redisUrl, log)));
}

/** The port of a Sentinel that watches the primary of this port. */
async function startSentinel(at: number, primaryPort: number): Promise<number> {
  const port = await freePort();
  const file = join(folder, `sentinel-${primaryPort}-${at}.conf`);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor quittance 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds quittance ${DOWN_AFTER_MS}`,
    'sentinel failover-timeout quittance 10000',
  ];
  await writeFile(file, lines.join('\n'));
  const child = spawn('redis-sentinel', [file], { stdio: 'ignore' });
  stack.defer(() => void child.kill('SIGKILL'));
  await until(async () => (await infoOf(port)) !== '');
  return port;
}

async function startHaproxy(ports: readonly number[]): Promise<string> {
  const port = await freePort();
  let config = await readFile(new URL('../../../../deploy/redis/haproxy.cfg', import.meta.url), 'utf8');
  config = config.replace('127.0.0.1:6380', `127.0.0.1:${port}`);
  for (const [at, node] of ports.entries()) config = config.replace(`10.0.0.3${at + 1}:6379`, `127.0.0.1:${node}`);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  stack.defer(() => void child.kill('SIGKILL'));
  return `redis://127.0.0.1:${port}`;
}

/** What a Redis or a Sentinel says about itself; empty while it does not answer. */
async function infoOf(port: number): Promise<string> {
  const done = spawnSync('redis-cli', ['-p', String(port), 'info'], { encoding: 'utf8', timeout: 2_000 });
  return done.status === 0 ? done.stdout : '';
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const endAt = performance.now() + RECOVERY_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() > endAt) throw new Error('waited too long');
    await pause(20);
  }
}
