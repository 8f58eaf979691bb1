import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';

/** Where `npm run program -- pooled` builds a PgBouncer that is newer than the system's. */
export const BUILT_PGBOUNCER = fileURLToPath(new URL('../../../.cache/pgbouncer/pgbouncer', import.meta.url));
/** The first version that keeps prepared statements while it pools by transaction. */
const FIRST_THAT_TRACKS_STATEMENTS = 21;

export interface PgBouncerBinary {
  file: string;
  version: string;
  /** Whether it has `max_prepared_statements`. */
  tracksStatements: boolean;
}

/** The installed ones: of PGBOUNCER, of this checkout, and of the system. */
export function findPgBouncers(): PgBouncerBinary[] {
  const given = process.env.PGBOUNCER;
  return (given ? [given] : [BUILT_PGBOUNCER, '/usr/sbin/pgbouncer']).flatMap((file) => {
    if (!existsSync(file)) return [];
    const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
    const [, version, minor] = /PgBouncer (1\.(\d+)\S*)/.exec(stdout) ?? [];
    return version ? [{ file, version, tracksStatements: Number(minor) >= FIRST_THAT_TRACKS_STATEMENTS }] : [];
  });
}

export interface RunningPgBouncer {
  /** The address of the same database through the pooler. */
  url: string;
  /** Host and port. */
  host: string;
  stop(): Promise<void>;
}

/** A PgBouncer in front of the server of `url`, for all of its databases. It pools by transaction unless a setting says otherwise. */
export async function startPgBouncer(
  url: string,
  { file, settings = [] }: { file: string; settings?: string[] },
): Promise<RunningPgBouncer> {
  const to = new URL(url);
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'quittance-pgbouncer-'));
  await chmod(directory, 0o755);
  const ini = join(directory, 'pgbouncer.ini');
  const password = to.password ? ` password=${decodeURIComponent(to.password)}` : '';
  const lines = [
    '[databases]',
    `* = host=${to.hostname} port=${to.port} user=${to.username}${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    ...settings,
  ];
  await writeFile(ini, lines.join('\n'), { mode: 0o644 });
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(file, [...user, ini], { stdio: 'ignore' });
  const stop = async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await accepting(port);
  } catch (error) {
    await stop();
    throw error;
  }
  const host = `127.0.0.1:${port}`;
  return { url: Object.assign(new URL(url), { host }).href, host, stop };
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
