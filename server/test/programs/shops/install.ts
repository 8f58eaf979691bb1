import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const cache = join(root, '.cache/shops');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * A shop's packages in exactly these versions, and the plugin as a merchant installs it: compiled against the shop's own
 * types, packed, and installed from the archive. Kept for the next run.
 */
export function installShop(name: string, packages: readonly string[]): string {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  const clients = ['sdk', 'integrations'].map((workspace) => pack(join(root, workspace)));
  npm(folder, 'install', ...packages, ...clients);

  const plugin = join(folder, 'plugin');
  rmSync(plugin, { recursive: true, force: true });
  cpSync(join(root, 'integrations', name), plugin, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  execFileSync(process.execPath, [tsc, '-p', plugin], { stdio: 'inherit' });
  npm(folder, 'install', pack(plugin));
  return folder;
}

/** The archive that npm would publish. */
function pack(folder: string): string {
  const target = join(cache, 'archives');
  mkdirSync(target, { recursive: true });
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const [{ filename, size }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', target], options),
  ) as [{ filename: string; size: number }];
  const {
    name,
    engines,
    dependencies = {},
    peerDependencies,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  process.stderr.write(`${name}: ${size} bytes, ${JSON.stringify({ engines, dependencies, peerDependencies })}\n`);
  // npm leaves what it has installed if an archive has the same name.
  const hash = createHash('sha256')
    .update(readFileSync(join(target, filename)))
    .digest('hex');
  const archive = join(target, `${hash.slice(0, 8)}-${filename}`);
  renameSync(join(target, filename), archive);
  return archive;
}

function npm(folder: string, ...args: string[]): void {
  execFileSync('npm', [...args, ...QUIET, '--prefix', folder], { cwd: folder, stdio: 'inherit' });
}

export function megabytesOf(folder: string): string {
  return execFileSync('du', ['-sm', join(folder, 'node_modules')], { encoding: 'utf8' }).split('\t')[0] as string;
}
