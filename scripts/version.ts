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

// The root is not a workspace, so changesets leaves its version alone.
const { version } = JSON.parse(readFileSync(`${root}server/package.json`, 'utf8')) as { version: string };
const manifest = readFileSync(`${root}package.json`, 'utf8');
writeFileSync(`${root}package.json`, manifest.replace(/"version": "[^"]*"/, `"version": "${version}"`));
spawnSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--loglevel=error'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
