import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StartupError, invariant } from '../../errors.ts';
import { withAside } from './aside.ts';
import type { Binaries } from './binaries.ts';
import { findOtherOwner, handOver, type Owner } from './owner.ts';
import type { Launcher } from './program.ts';

export const USER = 'quittance';
/** Below the data directory; the others are below this one. */
export const HOME = 'postgres';
export const CLUSTER = 'cluster';
export const PASSWORD = 'password';

/** The files of one embedded database, below `DATA_DIR/postgres`. */
export interface Cluster {
  dataDir: string;
  /** What PostgreSQL calls its data directory. */
  directory: string;
  logFile: string;
  password: string;
  binaries: Binaries;
  launcher: Launcher;
}

/** Opens the cluster of this data directory. Creates it on the first start. */
export async function openCluster(dataDir: string, binaries: Binaries, launcher: Launcher): Promise<Cluster> {
  if (!(await findCluster(dataDir))) {
    await requireNoneAway(dataDir);
    await createCluster(join(dataDir, HOME), binaries, launcher);
  }
  const place = await findCluster(dataDir);
  invariant(place, 'a cluster that was made is there');
  return { ...place, binaries, launcher };
}

/** Between two renames of a restore there is no database. If it was killed there, an empty one would hide that. */
async function requireNoneAway(dataDir: string): Promise<void> {
  const away = (await readdir(dataDir).catch(() => [])).filter((name) => name.startsWith(`${HOME}.before-`)).toSorted();
  if (away.length === 0) return;
  throw new StartupError(
    `There is no database in ${dataDir}, but ${away.at(-1)}, which a restore moved aside. ` +
      `Restore again, or rename it to ${HOME}. For an empty database, move it elsewhere.`,
  );
}

/** What is needed to find a cluster's running server and connect to it. */
export type ClusterPlace = Pick<Cluster, 'dataDir' | 'directory' | 'logFile' | 'password'>;

/** The location of this data directory's cluster; undefined before the first start. */
export async function findCluster(dataDir: string): Promise<ClusterPlace | undefined> {
  const home = join(dataDir, HOME);
  const password = await readPassword(home);
  return password === undefined
    ? undefined
    : { dataDir, directory: join(home, CLUSTER), logFile: join(home, 'log'), password };
}

/** As whom PostgreSQL has to run in this data directory, if root is to start it for another user. */
export function findClusterOwner(dataDir: string): Promise<Owner | undefined> {
  return findOtherOwner(join(dataDir, HOME, CLUSTER), dataDir);
}

async function readPassword(home: string): Promise<string | undefined> {
  try {
    return (await readFile(join(home, PASSWORD), 'utf8')).trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'EACCES') throw cause;
    throw new StartupError(
      `The database in ${home} belongs to another user. Start as that user, or set another DATA_DIR.`,
      { cause },
    );
  }
}

/**
 * Everything is created aside and moved into place in one step: a start that is killed leaves nothing half done, and of
 * two concurrent first starts one wins and both use its cluster.
 */
async function createCluster(home: string, binaries: Binaries, launcher: Launcher): Promise<void> {
  await mkdir(dirname(home), { recursive: true, mode: 0o700 });
  const creating = withAside(home, async (aside) => {
    const password = randomBytes(24).toString('base64url');
    await writeFile(join(aside, PASSWORD), password, { mode: 0o600, flush: true });
    await mkdir(join(aside, CLUSTER), { mode: 0o700 });
    await handOver(aside, launcher.owner);
    await initialize(join(aside, CLUSTER), binaries, launcher);
    await rename(aside, home);
    await syncDirectory(dirname(home));
  });
  await creating.catch(async (error: NodeJS.ErrnoException) => {
    const isMade = ['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '') && (await readPassword(home)) !== undefined;
    if (!isMade) throw error;
  });
}

/** The file of the password is beside the directory. */
async function initialize(directory: string, { initdb }: Binaries, launcher: Launcher): Promise<void> {
  const child = launcher.spawn(
    initdb,
    directory,
    (place) => [
      '-D',
      place,
      '-U',
      USER,
      '--auth=scram-sha-256',
      `--pwfile=${place}/../${PASSWORD}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ],
    'pipe',
  );
  // This process may end first. Then nothing needs what initdb has made so far, nor waits for it.
  const abandon = () => {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    rmSync(dirname(directory), { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
  };
  process.once('exit', abandon);
  const code = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const read = (stream: Readable | null) => (stream ? text(stream) : '');
  const ends = Promise.all([read(child.stdout), read(child.stderr), code]);
  const [output, errors, ended] = await ends.finally(() => process.off('exit', abandon));
  if (ended !== 0)
    throw new StartupError(
      `The embedded database could not be made in ${dirname(directory)}:\n${(errors || output).trim()}`,
    );
}

/** Makes a rename below this directory survive a power failure. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
