import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { refuseUnfitPooler } from '../../../src/platform/db/pooler.ts';
import { createTestDatabase } from '../../support/index.ts';

// PGBOUNCER names another binary; Debian 12 has 1.18, which has no setting for prepared statements.
const binary = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
const [, minor] = /PgBouncer 1\.(\d+)/.exec(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
const isInstalled = minor !== undefined;
const keepsStatements = Number(minor) >= 21;
let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

test('a direct connection does not count as a pooler', async () => {
  const database = await createTestDatabase();
  stack.defer(() => database.drop());
  await refuseUnfitPooler(database.url);
});

// Skipped without PgBouncer, which `.ci/run` installs.
test.skipIf(!isInstalled)(
  'a pooler that loses prepared statements is refused, and one that keeps them is not',
  async () => {
    const database = await createTestDatabase();
    stack.defer(() => database.drop());
    const losing = await startPgBouncer(database.url, keepsStatements ? 'max_prepared_statements = 0' : '');
    await expect(refuseUnfitPooler(losing)).rejects.toThrow(
      /^DATABASE_URL leads through a pooler that loses prepared statements \((42P05|26000)\)\. With PgBouncer, use 1\.21 or newer/,
    );
    const bySession = await startPgBouncer(database.url, 'pool_mode = session');
    await refuseUnfitPooler(bySession);
    if (!keepsStatements) return;
    await refuseUnfitPooler(await startPgBouncer(database.url, 'max_prepared_statements = 200'));
  },
);

/** The address of the same database through a PgBouncer that pools by transaction. */
async function startPgBouncer(url: string, setting: string): Promise<string> {
  const to = new URL(url);
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'quittance-pgbouncer-'));
  await chmod(directory, 0o755);
  const file = join(directory, 'pgbouncer.ini');
  const password = to.password ? ` password=${decodeURIComponent(to.password)}` : '';
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${to.hostname} port=${to.port} user=${to.username}${password}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      setting,
    ].join('\n'),
    { mode: 0o644 },
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child: ChildProcess = spawn(binary, [...user, file], { stdio: 'ignore' });
  stack.defer(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  await accepting(port);
  return Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
}

async function accepting(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port }, () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(20);
  }
  throw new Error('PgBouncer did not start');
}
