import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { ask } from '../../support/ask.ts';
import { fillDataDirectory } from '../../support/data-directory.ts';

const log = pino({ level: 'silent' });
// Whole processes are started and killed here.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let dataDir: string;
let started: EmbeddedDatabase[];
let children: ChildProcess[];

beforeEach(async () => {
  const parent = await mkdtemp(join(await realpath(tmpdir()), 'quittance-embedded-'));
  // A long path with spaces and non-ASCII letters, below a directory that only its owner may enter.
  dataDir = join(parent, `${'a rather long name '.repeat(6)} ünï`, 'data');
  started = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  // Takes over what a killed child left behind, to stop it.
  if (children.length > 0 && started.length === 0) await start();
  for (const database of started) await database.stop();
  // The children of a killed postmaster may still write while they end.
  await rm(join(dataDir, '../..'), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

test('it is durable, loopback only and closed to everyone without its password', async () => {
  const { url } = await start();
  const [settings] = await ask(
    url,
    `
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('full_page_writes') as full_page_writes,
           current_setting('listen_addresses') as listen_addresses, current_setting('server_encoding') as encoding,
           (select datcollate from pg_database where datname = current_database()) as collation, current_setting('TimeZone') as zone`,
  );
  expect(settings).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    encoding: 'UTF8',
    collation: 'C',
    zone: 'UTC',
  });

  const wrong = new URL(url);
  wrong.password = 'guess';
  await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  expect((await stat(join(dataDir, 'postgres/password'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dataDir, 'postgres/cluster'))).mode & 0o777).toBe(0o700);
  expect(await readFile(join(dataDir, 'postgres/cluster/pg_hba.conf'), 'utf8')).not.toMatch(/^[^#]*\btrust\b/m);
});

test('a second start within moments finds the rows of the first', async () => {
  await fillDataDirectory(dataDir);
  const first = await start();
  await ask(first.url, 'create table kept as select 42 as answer');
  await first.stop();

  const before = performance.now();
  const second = await start();
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(await ask(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('a twin on the same data directory is refused, by a sentence that names the other and the directory', async () => {
  await fillDataDirectory(dataDir);
  const owner = await startChild();
  const refusal = await start().catch((error: Error) => error);
  expect(refusal).toMatchObject({
    name: 'StartupError',
    message:
      `Another server (pid ${owner.child.pid}) is running on the data directory ${dataDir}. Stop it first, ` +
      'or set another DATA_DIR (and PORT) for this one.',
  });
  expect(await ask(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('of several first starts at once exactly one becomes the owner', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => spawnChild()));
  expect(answers.filter((answer) => 'url' in answer)).toHaveLength(1);
  expect(answers.filter((answer) => 'refused' in answer && answer.refused.startsWith('Another server'))).toHaveLength(
    3,
  );
});

test('the database of a killed server is taken over with everything that was acknowledged', async () => {
  await fillDataDirectory(dataDir);
  const owner = await startChild();
  await ask(owner.url, 'create table kept (n integer primary key)');
  for (let n = 1; n <= 50; n++) await ask(owner.url, `insert into kept values (${n})`);
  const postmaster = await readPostmaster();
  await kill(owner.child);

  const heir = await start();
  expect(await readPostmaster()).toBe(postmaster);
  expect(await ask(heir.url, 'select count(*)::integer as n from kept')).toEqual([{ n: 50 }]);
});

test('everything acknowledged is there after the next start if server and database are both killed', async () => {
  await fillDataDirectory(dataDir);
  const owner = await startChild();
  await ask(owner.url, 'create table kept (n integer primary key)');
  for (let n = 1; n <= 50; n++) await ask(owner.url, `insert into kept values (${n})`);
  const postmaster = await readPostmaster();
  await kill(owner.child);
  process.kill(postmaster, 'SIGKILL');

  const heir = await start();
  expect(await readPostmaster()).not.toBe(postmaster);
  expect(await ask(heir.url, 'select count(*)::integer as n from kept')).toEqual([{ n: 50 }]);
});

test('a database that dies under its server comes back under the same address', async () => {
  await fillDataDirectory(dataDir);
  const { url } = await start();
  await ask(url, 'create table kept as select 42 as answer');
  process.kill(await readPostmaster(), 'SIGKILL');
  await expect
    .poll(() => ask(url, 'select answer from kept').catch(() => 'away'), { timeout: 20_000, interval: 100 })
    .toEqual([{ answer: 42 }]);
});

test('a process number that belongs to another program after a reboot does not matter', async () => {
  await fillDataDirectory(dataDir);
  const first = await start();
  const pidFile = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8');
  await first.stop();
  await writeFile(join(dataDir, 'postgres/cluster/postmaster.pid'), pidFile.replace(/^[0-9]+/, String(process.ppid)));

  const second = await start();
  expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a first start that was killed halfway leaves nothing in the way of the next', async () => {
  await mkdir(join(dataDir, 'postgres.new-abc/cluster'), { recursive: true });
  const { url } = await start();
  expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

async function start(): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, log });
  started.push(database);
  return database;
}

async function startChild() {
  const answer = await spawnChild();
  if ('refused' in answer) throw new Error(answer.refused);
  return answer;
}

async function spawnChild(): Promise<{ child: ChildProcess; url: string } | { child: ChildProcess; refused: string }> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../support/embedded-child.ts', import.meta.url)), dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    return { child, ...JSON.parse(line) };
  throw new Error('the child said nothing');
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function readPostmaster(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
}
