import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `npm run program -- version`: turns the noted changes (`.changeset/*.md`) into the next version and its changelogs:
 * `server/CHANGELOG.md`, `sdk/CHANGELOG.md` and `cli/CHANGELOG.md`. Commits nothing.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
/** Packages that are never installed on their own. */
const INTERNAL = ['contract', 'web', 'e2e', 'bench', 'scripts/node'];

execFileSync(process.execPath, ['node_modules/@changesets/cli/bin.js', 'version'], { cwd: root, stdio: 'inherit' });
for (const folder of INTERNAL) rmSync(`${root}${folder}/CHANGELOG.md`, { force: true });

// These are no workspaces, so changesets leaves their versions alone.
const { version } = JSON.parse(readFileSync(`${root}server/package.json`, 'utf8')) as { version: string };
for (const path of ['package.json', 'clients/php/composer.json', 'clients/python/pyproject.toml']) {
  const manifest = readFileSync(`${root}${path}`, 'utf8');
  writeFileSync(`${root}${path}`, manifest.replace(/\bversion(": | = )"[^"]*"/, `version$1"${version}"`));
}
spawnSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--loglevel=error'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
