import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isWrong, KeyedWriters } from '../chaos/keyed-writers.ts';
import { type ReleaseProcess, startRelease } from '../side-by-side/process.ts';
import { QUIET } from '../../support/settings.ts';
import { haveSystemPackages, SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';
import { PATRONI_NEEDS, PatroniCluster, until } from './cluster.ts';

/**
 * Loses the primary of a PostgreSQL cluster (Patroni, etcd, HAProxy, by the files of `deploy/patroni`) while eight clients
 * write with keys to two processes of the service. Exits with 1 if an acknowledged write is lost, doubled or changed, if
 * an answer is neither a success nor 503, or if a process ends.
 *
 *     npm run program -- failover                   each way to lose it once
 *     npm run program -- failover --failovers 1     the short form: a machine that loses power
 */
const { values } = parseArgs({
  options: { failovers: { type: 'string', default: '4' }, clients: { type: 'string', default: '8' } },
});
const WAYS = ['machine killed', 'PostgreSQL killed', 'machine frozen', 'planned switchover'] as const;
type Way = (typeof WAYS)[number];
/** Writes of a healthy cluster before and after each failover. */
const CALM_MS = 3_000;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const MASTER_KEY = randomBytes(32).toString('hex');
const say = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);

if (!haveSystemPackages(PATRONI_NEEDS)) process.exit(SKIPPED_EXIT_CODE);
await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'quittance-failover-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
say('starting etcd, three nodes of Patroni and HAProxy');
const cluster = await PatroniCluster.start(folder, stack);
say(`the primary is ${await cluster.primary()}`);

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-failover-data-'));
stack.defer(() => rm(dataDir, { recursive: true, force: true }));
const services = [await startService('all', 'all'), await startService('api', 'api')];
const writers = new KeyedWriters({
  urlOf: (client) => (services[client % services.length] as ReleaseProcess).url,
  key: await readTestKey(),
});
writers.start(Number(values.clients));
const rows: Record<string, number | string>[] = [];
for (let at = 0; at < Number(values.failovers); at++) rows.push(await failOver(WAYS[at % WAYS.length] as Way));
await writers.stop();
say(`looking up ${writers.acknowledged.size} acknowledged writes`);
const verdict = await writers.judge(cluster.url);
console.table(rows);
const ended = services.filter(({ isRunning }) => !isRunning()).length;
console.log(
  JSON.stringify({ failovers: rows.length, ...writers.figures, ...verdict, processes_ended: ended }, null, 2),
);
if (isWrong(verdict) || ended > 0) process.exitCode = 1;

async function failOver(way: Way): Promise<Record<string, number | string>> {
  await cluster.synchronous();
  await pause(CALM_MS);
  const primary = await cluster.primary();
  if (!primary) throw new Error('the cluster has no primary');
  const refusedBefore = writers.figures.refused;
  const unansweredBefore = writers.figures.unanswered;
  say(`${way}: ${primary}`);
  const lostAt = performance.now();
  await lose(way, primary);
  await until('another primary', async () => {
    const next = await cluster.primary();
    return next !== undefined && next !== primary;
  });
  const promotedAt = performance.now();
  await until('a write', async () => writers.firstAfter(promotedAt) !== undefined);
  say(`${await cluster.primary()} is the primary, and writes are acknowledged`);
  await pause(CALM_MS);
  if (way === 'machine frozen') await cluster.thaw(primary);
  cluster.startNode(primary);
  const seconds = (ms: number) => Number((ms / 1000).toFixed(1));
  return {
    'the primary was lost by': way,
    'another was known after, s': seconds(promotedAt - lostAt),
    'longest time without a write, s': seconds(writers.longestGapMs(lostAt)),
    'answers 503': writers.figures.refused - refusedBefore,
    'not answered in 10 s': writers.figures.unanswered - unansweredBefore,
  };
}

async function lose(way: Way, primary: string): Promise<void> {
  if (way === 'machine killed') await cluster.killMachine(primary);
  else if (way === 'PostgreSQL killed') await cluster.killPostgres(primary);
  else if (way === 'machine frozen') await cluster.freeze(primary);
  else await cluster.switchOver(primary);
}

function startService(name: string, role: string): Promise<ReleaseProcess> {
  return startRelease(name, root, {
    ...QUIET,
    ROLE: role,
    DATA_DIR: dataDir,
    DATABASE_URL: cluster.url,
    MASTER_KEY,
    LOG_LEVEL: 'error',
  }).then((service) => {
    stack.defer(() => service.stop());
    return service;
  });
}

/** The demo account is created right after the service listens. */
async function readTestKey(): Promise<string> {
  let key: string | undefined;
  await until('the demo account', async () => {
    const text = await readFile(join(dataDir, 'demo.json'), 'utf8').catch(() => undefined);
    if (text) key = (JSON.parse(text) as { testKey: string }).testKey;
    return key !== undefined;
  });
  return key as string;
}
