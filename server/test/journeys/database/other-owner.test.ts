import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { handOver } from '../../../src/platform/db/embedded/owner.ts';
import { tar } from '../../../src/platform/tar.ts';
import { ask } from '../../support/ask.ts';
import { fillDataDirectory } from '../../support/data-directory.ts';
import { bundledService } from '../../support/service-bundle.ts';
import { runToEnd } from '../../support/service-process.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const OWNER = 65_534;
const log = pino({ level: 'silent' });
let home: string;
let dataDir: string;
let file: string;

// Only root can make it, as systemd does with DynamicUser: no user but root may enter the folder around it.
describe.runIf(process.getuid?.() === 0)('root, on a data directory that belongs to the user of the service,', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), 'quittance-owner-'));
    dataDir = join(home, 'private/quittance');
    file = join(home, 'backup');
    await mkdir(join(home, 'private'), { mode: 0o700 });
    await fillDataDirectory(dataDir);
    await chmod(dataDir, 0o700);
    execFileSync('chown', ['-R', `${OWNER}:${OWNER}`, dataDir]);
  });
  afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  test('migrates, backs up and restores, over a database and without one, and everything belongs to that user', async () => {
    expect(await run('migrate')).toMatchObject({ code: 0, errors: '' });
    await makeTable('kept');
    expect(await run('backup', file)).toMatchObject({ code: 0, errors: '' });
    expect((await lstat(file)).uid).toBe(0);
    await makeTable('young');

    const { code, output, errors } = await run('restore', file, '--force');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).not.toContain('cannot be started');
    expect(output).toMatch(/^The database that was there is now .*postgres\.before-/m);
    expect(await tables()).toEqual(['kept']);
    expect(await others()).toEqual([]);

    await empty();
    expect(await run('restore', file)).toMatchObject({ code: 0, errors: '' });
    expect(await tables()).toEqual(['kept']);
    expect(await others()).toEqual([]);
  });

  test('follows no link that the user has put there', async () => {
    const [victim, outside] = [join(home, 'victim'), join(home, 'outside')];
    await writeFile(victim, 'of root');
    await mkdir(outside);
    await writeFile(join(outside, 'file'), 'of root');
    await symlink(victim, join(dataDir, 'last-backup'));
    expect(await run('backup', file)).toMatchObject({ code: 0, errors: '' });
    await symlink(outside, join(dataDir, 'link'));
    await handOver(dataDir, { uid: OWNER, gid: OWNER });

    expect(await readFile(victim, 'utf8')).toBe('of root');
    for (const path of [victim, outside, join(outside, 'file')]) expect((await lstat(path)).uid, path).toBe(0);
    for (const name of ['last-backup', 'link']) expect((await lstat(join(dataDir, name))).uid, name).toBe(OWNER);
  });

  test('makes its first database there for that user', async () => {
    await empty();
    expect(await run('migrate')).toMatchObject({ code: 0, errors: '' });
    expect(await others()).toEqual([]);
  });

  test('touches nothing if that user may not run PostgreSQL, and says how to go on', async () => {
    await run('backup', file);
    const before = await readdir(dataDir);
    const { command } = await bundledService();
    const bounded = ['setpriv', '--bounding-set=-setuid,-setgid', '--inh-caps=-setuid,-setgid', process.execPath];
    const refused = (...args: string[]) => {
      try {
        return execFileSync(bounded[0] as string, [...bounded.slice(1), command, ...args], {
          env: { PATH: process.env.PATH, DATA_DIR: dataDir },
          stdio: 'pipe',
        }).toString();
      } catch (error) {
        return String((error as { stderr: Buffer }).stderr);
      }
    };
    for (const args of [['migrate'], ['backup', join(home, 'other')], ['restore', file, '--force']])
      expect(refused(...args)).toMatch(/^The data directory belongs to the user 65534.* --reuid=65534 /);
    expect(await readdir(dataDir)).toEqual(before);
    expect(await readdir(home)).not.toContain('other');
  });
});

describe('a restore that fails', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(await realpath(tmpdir()), 'quittance-fails-'));
    dataDir = join(home, 'data');
    file = join(home, 'backup');
    await fillDataDirectory(dataDir);
    await makeTable('kept');
  });
  afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  test('because the restored database does not start leaves everything as it was', async () => {
    const notes = { format: 1, takenAt: '2026-01-31T12:00:00.000Z', release: '1.2.3', postgres: '18', password: 'x' };
    const members = { 'quittance-backup.json': JSON.stringify(notes), PG_VERSION: '18\n' };
    const entries = Object.entries(members).map(([path, data]) => ({ path, data: Buffer.from(data) }));
    await writeFile(file, gzipSync(tar(entries)));
    const { code, output, errors } = await run('restore', file, '--force');
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toContain('did not start');
    expect(await readdir(dataDir)).toEqual(['postgres']);
    expect(await tables()).toEqual(['kept']);
  });

  test('once the database that was there is aside puts that one back', async () => {
    expect((await run('backup', file)).code).toBe(0);
    await makeTable('young');
    // No file can take its place.
    await mkdir(join(dataDir, 'restored.json/full'), { recursive: true });
    expect((await run('restore', file, '--force')).code).toBe(1);
    expect((await readdir(dataDir)).toSorted()).toEqual(['last-backup', 'postgres', 'restored.json']);
    expect(await tables()).toEqual(['kept', 'young']);
  });
});

test('after a restore that was killed between its two renames a start names the database that is aside', async () => {
  home = await mkdtemp(join(await realpath(tmpdir()), 'quittance-killed-'));
  dataDir = join(home, 'data');
  try {
    await fillDataDirectory(dataDir);
    await makeTable('kept');
    const aside = join(dataDir, 'postgres.before-2026-01-31T12-00-00.000Z');
    await rename(join(dataDir, 'postgres'), aside);
    await expect(tables()).rejects.toThrow(/no database .* postgres\.before-2026-01-31T12-00-00\.000Z, .* moved aside/);
    await rename(aside, join(dataDir, 'postgres'));
    expect(await tables()).toEqual(['kept']);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});

async function run(...args: [string, ...string[]]) {
  return runToEnd([(await bundledService()).command, ...args], { PATH: process.env.PATH, DATA_DIR: dataDir });
}

async function withDatabase<T>(use: (url: string) => Promise<T>): Promise<T> {
  const database = await startEmbeddedDatabase({ dataDir, log });
  return use(database.url).finally(() => database.stop());
}

async function makeTable(name: 'kept' | 'young'): Promise<void> {
  await withDatabase((url) => ask(url, `create table ${name} (id integer)`));
}

async function tables(): Promise<unknown[]> {
  const sql = `select tablename from pg_tables where tablename in ('kept', 'young') order by tablename`;
  return (await withDatabase((url) => ask(url, sql))).map((row) => row.tablename);
}

async function empty(): Promise<void> {
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true });
}

/** What does not belong to the owner of the directory. */
async function others(): Promise<string[]> {
  const names = ['', ...(await readdir(dataDir, { recursive: true }))];
  const stats = await Promise.all(names.map((name) => lstat(join(dataDir, name))));
  return names.filter((_, at) => stats[at]?.uid !== OWNER || stats[at]?.gid !== OWNER);
}
