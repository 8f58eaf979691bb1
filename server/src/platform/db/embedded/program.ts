import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { StartupError } from '../../errors.ts';
import type { Owner } from './owner.ts';

/** How to start a PostgreSQL program. It refuses to run as root, so root runs it as another user. */
export interface Launcher {
  /** To whom everything below the data directory has to belong, if that is not this process's user. */
  owner: Owner | undefined;
  /** Starts it on a directory of its own, which it reaches at `place`. */
  spawn(file: string, directory: string, args: (place: string) => string[], output: number | 'pipe'): ChildProcess;
}

const OTHER_DATABASE = 'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer.';

/** `postgres` is the program that shows whether the owner may run any. */
export async function createLauncher(postgres: string, owner: Owner | undefined): Promise<Launcher> {
  if (owner) requireRunnable(postgres, owner);
  const prefix = process.getuid?.() === 0 && !owner ? await asUnprivilegedUser() : [];
  return {
    owner,
    spawn(file, directory, args, output) {
      // Folders around it may be closed to its owner, as systemd's /var/lib/private is. Root enters it first.
      const place = owner && process.platform === 'linux' ? '/proc/self/cwd' : directory;
      const [command = file, ...rest] = [...prefix, file, ...args(place)];
      return spawn(command, rest, {
        ...(owner && { ...owner, cwd: directory }),
        // In a separate process group, so that Ctrl-C reaches the service first, which stops the database cleanly.
        detached: true,
        stdio: ['ignore', output, output],
        env: plainEnvironment(),
      });
    },
  };
}

function requireRunnable(postgres: string, owner: Owner): void {
  const { error, status, stderr } = tryToRun(postgres, owner);
  if (status === 0) return;
  throw new StartupError(
    `The data directory belongs to the user ${owner.uid}, as whom root cannot run PostgreSQL here ` +
      `(${(error?.message ?? stderr).trim()}). Run this as that user: ` +
      `setpriv --reuid=${owner.uid} --regid=${owner.gid} --clear-groups quittance-server …`,
  );
}

function tryToRun(postgres: string, owner: Owner): { error?: Error; status: number | null; stderr: string } {
  try {
    return spawnSync(postgres, ['--version'], { ...owner, cwd: '/', env: plainEnvironment(), encoding: 'utf8' });
  } catch (error) {
    return { error: error as Error, status: null, stderr: '' };
  }
}

/**
 * A user namespace in which root's files belong to an ordinary user of the passwd file. No owner changes on the disk,
 * so it works below a directory that only root may enter.
 */
async function asUnprivilegedUser(): Promise<string[]> {
  const { uid, gid } = await ordinaryUser();
  const options = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  const { error, status, stderr } = spawnSync('unshare', [...options, 'true'], { encoding: 'utf8' });
  if (error)
    throw new StartupError(
      `PostgreSQL does not run as root, and \`unshare\`, which would help, was not found (${error.message}). ${OTHER_DATABASE}`,
    );
  if (status !== 0)
    throw new StartupError(
      `PostgreSQL does not run as root, and this machine or container refuses \`unshare\`, which would ` +
        `help (${stderr.trim()}). ${OTHER_DATABASE}`,
    );
  return ['unshare', ...options];
}

async function ordinaryUser(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const users = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  const user = users.find(({ uid }) => uid === 65534) ?? users[0];
  if (!user)
    throw new StartupError(`PostgreSQL does not run as root, and /etc/passwd names no other user. ${OTHER_DATABASE}`);
  return user;
}

/** This process's environment without PostgreSQL's variables (PGDATA, PGPORT, LC_ALL, …). */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SystemRoot } = process.env;
  return { PATH, TMPDIR, SystemRoot, LC_ALL: 'C', TZ: 'UTC' };
}
