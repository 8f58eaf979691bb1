import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BUILT_PGBOUNCER } from '../../support/pgbouncer.ts';
import { debianMirror } from '../../support/system-packages.ts';

/** The Debian release whose source package is built. It has PgBouncer 1.24. */
const SUITE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const BUILD_PACKAGES = ['gcc', 'make', 'pkg-config', 'dpkg-dev', 'libevent-dev', 'libssl-dev'];

/**
 * Builds PgBouncer from the source package of a newer Debian, from the mirror that this machine installs from. Throws
 * where that is impossible.
 */
export function buildPgBouncer(): void {
  if (!existsSync(KEYRING)) throw new Error('this is not a Debian, whose source package could be built');
  installBuildPackages();
  const folder = mkdtempSync(join(tmpdir(), 'quittance-pgbouncer-'));
  try {
    downloadSource(folder);
    const [description] = readdirSync(folder).filter((name) => name.endsWith('.dsc'));
    if (!description) throw new Error(`there is no source package of PgBouncer in ${SUITE}`);
    run(folder, 'dpkg-source', ['-x', description, 'source']);
    const source = join(folder, 'source');
    run(source, './configure', ['--without-cares', '--without-systemd']);
    run(source, 'make', [`-j${availableParallelism()}`, 'pgbouncer']);
    mkdirSync(dirname(BUILT_PGBOUNCER), { recursive: true });
    copyFileSync(join(source, 'pgbouncer'), BUILT_PGBOUNCER);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function installBuildPackages(): void {
  const missing = BUILD_PACKAGES.filter((name) => spawnSync('dpkg', ['-s', name]).status !== 0);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) throw new Error(`not installed, and only root can install: ${missing.join(' ')}`);
  run('/', 'apt-get', ['update', '-qq']);
  run('/', 'apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing]);
}

/** With lists and sources of its own, so that the machine's own package sources stay as they are. */
function downloadSource(folder: string): void {
  const list = join(folder, 'sources.list');
  writeFileSync(list, `deb-src [signed-by=${KEYRING}] ${debianMirror()} ${SUITE} main\n`);
  for (const place of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, place), { recursive: true });
  const options = {
    'Dir::Etc::sourcelist': list,
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Sandbox::User': 'root',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  run(folder, 'apt-get', [...flags, 'update', '-qq']);
  run(folder, 'apt-get', [...flags, 'source', '-qq', '--download-only', 'pgbouncer']);
}

function run(cwd: string, command: string, args: string[]): void {
  const done = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (done.status !== 0)
    throw new Error(`${command} failed: ${(done.stderr || done.stdout || String(done.error)).trim().slice(-800)}`);
}
