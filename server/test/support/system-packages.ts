import { existsSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';

/** Programs of the system that a run needs: where they are on Debian, and the package that has them. */
export type Needs = Record<string, string>;

/** The exit code of a run that showed nothing because this machine lacks what it needs; `.ci/long` counts it apart. */
export const SKIPPED_EXIT_CODE = 75;

/**
 * Installs the Debian packages of programs that are missing, which takes root. Says loudly which ones are still missing:
 * then nothing was shown.
 */
export function haveSystemPackages(needs: Needs): boolean {
  const missing = () => Object.keys(needs).filter((file) => !existsSync(file));
  if (missing().length > 0 && process.getuid?.() === 0) {
    const packages = [...new Set(missing().map((file) => needs[file] as string))];
    process.stderr.write(`installing ${packages.join(' ')}\n`);
    // At this run level no package starts its service.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
    const flags = ['install', '-y', '-qq', '--no-install-recommends'];
    spawnSync('apt-get', [...flags, ...packages], { stdio: ['ignore', 'ignore', 'inherit'], env });
  }
  if (missing().length === 0) return true;
  const lines = missing().map((file) => `  ${file} (Debian package ${needs[file]})`);
  process.stderr.write(
    `\nSKIPPED: this run needs programs that are not here, so nothing was shown.\n${lines.join('\n')}\n\n`,
  );
  return false;
}

/** The mirror that this Debian installs its packages from. */
export function debianMirror(): string {
  const filters = ['--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian', 'Label: Debian'];
  const [first] = execFileSync('apt-get', ['indextargets', ...filters], { encoding: 'utf8' }).split('\n');
  if (!first) throw new Error('this machine has no Debian mirror among its package sources');
  return first;
}
