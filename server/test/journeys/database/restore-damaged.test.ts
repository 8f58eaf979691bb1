import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, realpath, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { writeBackup } from '../../../src/platform/db/embedded/backup.ts';
import { findCluster } from '../../../src/platform/db/embedded/cluster.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { ask } from '../../support/ask.ts';
import { copyDirectory, fillDataDirectory } from '../../support/data-directory.ts';
import { bundledService } from '../../support/service-bundle.ts';
import { runToEnd } from '../../support/service-process.ts';

const log = pino({ level: 'silent' });
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let homes: string;
let home: string;
let dataDir: string;
let cluster: string;
let file: string;
let database: EmbeddedDatabase | undefined;

/** A database with one table, and a backup of it. Each test damages a copy. */
beforeAll(async () => {
  homes = await mkdtemp(join(await realpath(tmpdir()), 'quittance-restore-'));
  enter('made');
  await fillDataDirectory(dataDir);
  const { url } = await start();
  await ask(url, 'create table kept (id integer)');
  const password = (await findCluster(dataDir))?.password ?? '';
  await writeBackup({ url, password }, file, {
    format: 1,
    takenAt: '2026-01-31T12:00:00.000Z',
    release: '1.2.3',
    postgres: '18',
  });
  await stop();
});
beforeEach(() => {
  const made = home;
  enter('copied');
  copyDirectory(made, home);
});
afterEach(async () => {
  await stop();
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  enter('made');
});
afterAll(() => rm(homes, { recursive: true, force: true }));

test.each([
  ['whose control file is empty', () => truncate(join(cluster, 'global/pg_control'))],
  ['whose log is lost', () => removeAll(join(cluster, 'pg_wal'))],
  ['that starts and accepts no sessions', () => rm(join(cluster, 'base/5'), { recursive: true })],
  ['whose files are all lost', () => rm(cluster, { recursive: true })],
])('a backup is restored with --force over a database %s, which is kept aside', async (_, damage) => {
  await damage();
  const { code, output, errors } = await restore('--force');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(/^The database that is there cannot be started \(.+\), and no process uses it\.$/m);
  const [, aside = ''] = /^The database that was there is now (.*postgres\.before-\S+)\. Delete/m.exec(output) ?? [];
  expect((await stat(join(aside, 'password'))).isFile()).toBe(true);

  const { url } = await start();
  expect(await ask(url, `select tablename from pg_tables where schemaname = 'public'`)).toEqual([
    { tablename: 'kept' },
  ]);
});

test('a damaged database is not restored over while its service runs', async () => {
  await start();
  await truncate(join(cluster, 'global/pg_control'));
  expect(await restore('--force')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('A service is running on'),
  });
  expect(await readdir(dataDir)).toEqual(['postgres']);
});

test.runIf(process.platform === 'linux')(
  'a damaged database is not restored over while any process runs in its directory',
  async () => {
    await truncate(join(cluster, 'global/pg_control'));
    const child = spawn('sleep', ['600'], { cwd: cluster });
    try {
      await once(child, 'spawn');
      expect(await restore('--force')).toMatchObject({ code: 1, errors: expect.stringContaining('did not start') });
      expect(await readdir(dataDir)).toEqual(['postgres']);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

function enter(name: string): void {
  home = join(homes, name);
  dataDir = join(home, 'data');
  cluster = join(dataDir, 'postgres/cluster');
  file = join(home, 'backup');
}

async function start(): Promise<EmbeddedDatabase> {
  database = await startEmbeddedDatabase({ dataDir, log });
  return database;
}

async function stop(): Promise<void> {
  await database?.stop();
  database = undefined;
}

async function restore(...options: string[]) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  return runToEnd([(await bundledService()).command, 'restore', file, ...options], env);
}

async function removeAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}
