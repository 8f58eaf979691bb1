import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type BackupNotes,
  readBackupNotes,
  unpackBackup,
  writeBackup,
} from '../../../src/platform/db/embedded/backup.ts';
import { findCluster } from '../../../src/platform/db/embedded/cluster.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { ask } from '../../support/ask.ts';
import { fillDataDirectory } from '../../support/data-directory.ts';

const log = pino({ level: 'silent' });
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const NOTES: BackupNotes = { format: 1, takenAt: '2026-01-31T12:00:00.000Z', release: '1.2.3', postgres: '18' };
let home: string;
let file: string;
let started: EmbeddedDatabase[];

beforeEach(async () => {
  home = await mkdtemp(join(await realpath(tmpdir()), 'quittance-backup-'));
  file = join(home, 'backup');
  started = [];
  await fillDataDirectory(join(home, 'one'));
});
afterEach(async () => {
  for (const database of started) await database.stop();
  await rm(home, { recursive: true, force: true });
});

test('a backup that is taken while rows are written holds every row from before it, and none twice or in part', async () => {
  const { url } = await start('one');
  await ask(url, 'create table kept (pair integer, half integer, filling text, primary key (pair, half))');
  let pairs = 0;
  let writing = true;
  const writer = (async () => {
    const client = await connect(url);
    while (writing) {
      // Two rows in one transaction: a backup has both or neither.
      const rows = `insert into kept select ${pairs}, half, repeat('x', 5000) from generate_series(0, 1) as half`;
      await client.query(rows);
      pairs += 1;
    }
    await client.end();
  })();
  await vi.waitFor(() => expect(pairs).toBeGreaterThan(50), { timeout: 60_000 });
  const before = pairs;
  await backUp('one', url);
  writing = false;
  await writer;

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readBackupNotes(file)).toEqual(NOTES);
  expect(await unpackBackup(file, join(home, 'two'))).toEqual({ movedTo: null });
  const restored = await start('two');
  const [counts] = await ask(
    restored.url,
    'select count(*)::integer as rows, count(distinct pair)::integer as pairs, max(pair) as last from kept',
  );
  expect(counts?.pairs).toBeGreaterThanOrEqual(before);
  expect(counts).toEqual({ rows: Number(counts?.pairs) * 2, pairs: counts?.pairs, last: Number(counts?.pairs) - 1 });
  // Both continue independently.
  await ask(restored.url, `insert into kept values (-1, 0, '')`);
  expect(await ask(url, 'select from kept where pair = -1')).toEqual([]);
});

test('restoring over a database moves that one aside, whole', async () => {
  const { url } = await start('one');
  await ask(url, 'create table old (id integer)');
  await backUp('one', url);
  await ask(url, 'create table young (id integer)');
  await started.pop()?.stop();

  const { movedTo } = await unpackBackup(file, join(home, 'one'));
  const restored = await start('one');
  expect(await tables(restored.url)).toEqual(['old']);
  await started.pop()?.stop();

  await rm(join(home, 'one/postgres'), { recursive: true });
  await rename(movedTo ?? '', join(home, 'one/postgres'));
  expect(await tables((await start('one')).url)).toEqual(['old', 'young']);
});

test('a backup that ends too early, one with damaged bytes and any other file are refused, and leave nothing behind', async () => {
  const { url } = await start('one');
  await backUp('one', url);
  const whole = await readFile(file);
  // Not a single bit: some bits of a compressed stream mean nothing, and the data is the same without them.
  const middle = whole.length >> 1;
  const inverted = whole.subarray(middle, middle + 64).map((byte) => byte ^ 0xff);
  const damaged = Buffer.concat([whole.subarray(0, middle), inverted, whole.subarray(middle + 64)]);
  for (const [content, message] of [
    [whole.subarray(0, whole.length >> 1), /cannot be restored/],
    [whole.subarray(0, whole.length - 4), /cannot be restored/],
    [damaged, /cannot be restored/],
    [Buffer.from('something else'), /cannot be restored|is not a backup/],
    [Buffer.alloc(0), /cannot be restored|is not a backup/],
  ] as const) {
    await writeFile(join(home, 'damaged'), content);
    await expect(unpackBackup(join(home, 'damaged'), join(home, 'two'))).rejects.toThrow(message);
    expect(await readdir(join(home, 'two'))).toEqual([]);
  }
  await expect(unpackBackup(join(home, 'nothing'), join(home, 'two'))).rejects.toThrow(/There is no file/);
});

test('what a killed backup or restore left is in no one’s way, and is gone a day later', async () => {
  const { url } = await start('one');
  const left = ['backup.new-abc', 'two/postgres.new-abc'].map((name) => join(home, name));
  for (const directory of left) {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'half'), 'half');
  }
  await backUp('one', url);
  await unpackBackup(file, join(home, 'two'));
  expect(await readdir(home)).toEqual(expect.arrayContaining(['backup', 'backup.new-abc']));
  expect(await readdir(join(home, 'two'))).toEqual(['postgres', 'postgres.new-abc']);

  const dayAgo = Date.now() / 1_000 - 86_401;
  for (const directory of left) await utimes(directory, dayAgo, dayAgo);
  await backUp('one', url);
  await unpackBackup(file, join(home, 'two'));
  expect((await readdir(home)).toSorted()).toEqual(['backup', 'one', 'two']);
  expect(await readdir(join(home, 'two'))).not.toContain('postgres.new-abc');
});

test('a backup that cannot be written says so', async () => {
  const { url } = await start('one');
  file = join(home, 'nowhere/backup');
  await expect(backUp('one', url)).rejects.toThrow(`${file} cannot be written (ENOENT).`);
});

async function start(name: string): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir: join(home, name), log });
  started.push(database);
  return database;
}

async function backUp(name: string, url: string): Promise<void> {
  const cluster = await findCluster(join(home, name));
  await writeBackup({ url, password: cluster?.password ?? '' }, file, NOTES);
}

async function tables(url: string): Promise<unknown[]> {
  const rows = await ask(url, `select tablename from pg_tables where schemaname = 'public' order by tablename`);
  return rows.map((row) => row.tablename);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
