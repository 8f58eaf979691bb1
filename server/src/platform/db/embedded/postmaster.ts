import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../../errors.ts';
import type { Cluster, ClusterPlace } from './cluster.ts';

/** A PostgreSQL server process of a cluster. */
export interface Postmaster {
  pid: number;
  port: number;
}

const LOOK_AGAIN_MS = 10;
// Recovery after a crash replays at most the log of a few minutes.
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const CHILDREN_EXIT_MS = 3_000;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** The cluster's running server, if it accepts connections; waits for one that is starting or stopping. */
export async function findPostmaster(cluster: ClusterPlace): Promise<Postmaster | undefined> {
  const until = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until) {
    const found = await readPidFile(cluster);
    if (!found || !isAlive(found.pid)) return undefined;
    if (await isOtherProgram(found.pid, cluster)) {
      // After a reboot the number may belong to any program, and would keep PostgreSQL from starting.
      if (!(await isInUse(cluster))) await rm(pidFile(cluster), { force: true });
      return undefined;
    }
    if (found.status === 'ready') return found;
    await delay(LOOK_AGAIN_MS);
  }
  throw new StartupError(`The embedded database neither became ready nor stopped. Its log: ${cluster.logFile}`);
}

/** A server that ends with this process. */
export interface StartedPostmaster extends Postmaster {
  /** From now on it outlives this process. */
  leave(): void;
}

/** Starts a server on the cluster. Undefined if another start was quicker, or the port was just taken: look again. */
export async function startPostmaster(
  cluster: Cluster,
  port: number,
  settings: Record<string, string>,
): Promise<StartedPostmaster | undefined> {
  const log = await openLog(cluster);
  const { size } = await log.stat();
  let child: ChildProcess;
  try {
    child = cluster.launcher.spawn(
      cluster.binaries.postgres,
      cluster.directory,
      (place) => ['-D', place, ...options(port, settings)],
      log.fd,
    );
  } finally {
    await log.close();
  }
  let failed: Error | undefined;
  child.once('error', (error) => {
    failed = error;
    leave();
  });
  child.unref();
  // At once, because a process that is interrupted waits for nothing, and the server would outlive it.
  const interrupt = () => child.kill('SIGINT');
  const leave = () => process.off('exit', interrupt);
  process.once('exit', interrupt);
  child.once('exit', leave);

  const until = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until && !failed && child.exitCode === null && child.signalCode === null) {
    const found = await readPidFile(cluster);
    if (found?.pid === child.pid && found?.status === 'ready') return { ...found, leave };
    await delay(LOOK_AGAIN_MS);
  }
  // One that recovers for longer goes on, and the next start finds it.
  leave();
  const words = failed?.message ?? (await readFile(cluster.logFile, 'utf8')).slice(size).trim();
  if (/lock file "postmaster\.pid"|pre-existing shared memory|could not bind|Address already in use/.test(words))
    return undefined;
  throw new StartupError(`The embedded database did not start:\n${words.split('\n').slice(-8).join('\n')}`);
}

/** Stops it cleanly: closes sessions and writes everything. */
export async function stopPostmaster(postmaster: Postmaster): Promise<void> {
  const { pid } = postmaster;
  interruptPostmaster(postmaster);
  const until = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    // Immediately, with recovery at the next start. No committed data is lost.
    if (Date.now() > until) signal(pid, 'SIGQUIT');
    await delay(LOOK_AGAIN_MS);
  }
}

/** Makes it stop cleanly, and does not wait until it has. */
export function interruptPostmaster({ pid }: Postmaster): void {
  signal(pid, 'SIGINT');
}

/** Whether the data directory is in use, and not only by the last children of a server that just ended. */
export async function staysInUse(cluster: ClusterPlace): Promise<boolean> {
  const until = Date.now() + CHILDREN_EXIT_MS;
  while (await isInUse(cluster)) {
    if (Date.now() > until) return true;
    await delay(LOOK_AGAIN_MS);
  }
  return false;
}

/** Whether an installation has replaced its program while it ran, so that it cannot start new processes. */
export async function isOutdated({ pid }: Postmaster): Promise<boolean> {
  return (await readlink(`/proc/${pid}/exe`).catch(() => '')).endsWith(' (deleted)');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function options(port: number, settings: Record<string, string>): string[] {
  const all = {
    // Loopback only, and no socket file: its path may be at most about 100 characters long.
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'on',
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const pidFile = (cluster: ClusterPlace) => join(cluster.directory, 'postmaster.pid');

async function readPidFile(cluster: ClusterPlace): Promise<(Postmaster & { status: string }) | undefined> {
  const lines = (await readFile(pidFile(cluster), 'utf8').catch(() => '')).split('\n').map((line) => line.trim());
  const [pid, port, status] = [Number(lines[0]), Number(lines[3]), lines[7] ?? ''];
  return pid > 0 ? { pid, port, status } : undefined;
}

/** Whether the process is certainly not a server of this cluster: a server runs in its data directory. */
async function isOtherProgram(pid: number, cluster: ClusterPlace): Promise<boolean> {
  const place = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return place !== undefined && place !== (await realpath(cluster.directory));
}

/** Whether any process runs in the data directory: a child of a dead server may still be writing. */
async function isInUse(cluster: ClusterPlace): Promise<boolean> {
  const directory = await realpath(cluster.directory).catch(() => cluster.directory);
  const processes = await readdir('/proc').catch(() => undefined);
  if (!processes) {
    // Only Linux lists processes here. Elsewhere a server at least names itself in its lock file.
    const found = await readPidFile(cluster);
    return found !== undefined && isAlive(found.pid);
  }
  const numbers = processes.filter((name) => /^[0-9]+$/.test(name));
  const places = await Promise.all(numbers.map((name) => readlink(`/proc/${name}/cwd`).catch(() => '')));
  return places.includes(directory);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Root opens it in a directory of another user, who may have put a link in its place. */
async function openLog({ logFile, launcher: { owner } }: Cluster): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const log = await open(logFile, O_WRONLY | O_APPEND | O_CREAT | (owner ? O_NOFOLLOW : 0), 0o600);
  if (owner) await log.chown(owner.uid, owner.gid);
  if ((await log.stat()).size > LOG_LIMIT_BYTES) await log.truncate();
  return log;
}
