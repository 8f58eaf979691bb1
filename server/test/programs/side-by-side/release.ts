import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MIGRATIONS = 'server/src/platform/db/migrations';

/**
 * The main line's commit before the newest migration: the last one whose processes do not know it. While the first
 * migration is the only one, two processes of this release share the database.
 */
export async function commitBeforeNewestMigration(root: string): Promise<string> {
  const names = (await readdir(join(root, MIGRATIONS))).filter((name) => name.endsWith('.sql'));
  if (names.length === 1) return (await run('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout.trim();
  const log = ['log', '-1', '--first-parent', '-m', '--diff-filter=A', '--format=%H', '--', MIGRATIONS];
  const added = (await run('git', log, { cwd: root })).stdout.trim();
  if (!added) throw new Error(`no commit added a file to ${MIGRATIONS}: name a release by --previous`);
  return (await run('git', ['rev-parse', `${added}^`], { cwd: root })).stdout.trim();
}

/** Checks a commit out into a folder, with its packages and its built pages. */
export async function checkOut(root: string, commit: string, folder: string): Promise<void> {
  const archive = join(folder, '..', 'release.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xf', archive, '-C', folder]);
  if (await hasSamePackages(root, folder)) await linkPackages(root, folder);
  else await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: folder });
  await run(process.execPath, ['scripts/run.mjs', 'build'], { cwd: folder });
}

async function hasSamePackages(root: string, folder: string): Promise<boolean> {
  const [ours, theirs] = await Promise.all(
    [root, folder].map((place) => readFile(join(place, 'package-lock.json'), 'utf8')),
  );
  return ours === theirs;
}

/** Links each package except the project's own, which are the release's. */
async function linkPackages(root: string, folder: string): Promise<void> {
  for (const place of ['.', 'web']) {
    const [from, to] = [join(root, place, 'node_modules'), join(folder, place, 'node_modules')];
    await mkdir(to, { recursive: true });
    const names = await readdir(from).catch(() => []);
    for (const name of names.filter((one) => one !== '@quittance')) await symlink(join(from, name), join(to, name));
  }
  const own = join(folder, 'node_modules/@quittance');
  await mkdir(own);
  for (const name of await readdir(join(root, 'node_modules/@quittance')))
    await symlink(join(folder, name), join(own, name));
}
