import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientPackages, NPM } from '../server/src/resources/docs/packages.ts';
import {
  billOfMaterials,
  bundledPackages,
  closureOf,
  componentsOf,
  licensesOf,
  type LockedPackage,
  readLockfile,
} from './release/components.ts';

/**
 * `npm run release`: assembles `.cache/release/quittance-server-<version>-linux-<arch>.tar.gz`, which runs on a bare Linux:
 * Node, the server as JavaScript, the built pages, the documents, and only the packages that run. Beside it npm packages: the
 * same server, `quittance-server-<version>.tgz`, which npm installs with its dependencies, the client and the command line.
 * SHA256SUMS has their checksums.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(read('package.json')) as { version: string };
const name = `quittance-server-${version}-linux-${process.arch}`;
const output = join(root, '.cache', 'release');
const folder = join(output, name);
const app = join(folder, 'app');
const locked = readLockfile(root);

rmSync(folder, { recursive: true, force: true });
mkdirSync(app, { recursive: true });
copyNode();
compile('server', ['src', 'bin']);
compile('contract', ['src']);
compile('web', ['docs']);
for (const part of [
  'web/dist',
  ...NPM.map((name) => `${name}/dist`),
  'cli/bin',
  'clients/python',
  'clients/php',
  'docs/guides',
])
  copyFolder(part);
// The service itself offers the client and the command line as packages, with their license.
for (const part of ['LICENSE', ...NPM.flatMap((name) => [`${name}/package.json`, `${name}/README.md`])]) copyFile(part);
writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'quittance', version, private: true, type: 'module' }));
const packages = copyPackages();
const components = componentsOf(root, [...packages, ...bundledPackages(root, locked)]);
writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licensesOf(components));
writeFileSync(join(folder, 'sbom.cdx.json'), JSON.stringify(billOfMaterials(version, components), null, 2));
for (const file of ['LICENSE', 'README.md', '.env.example']) copyFileSync(join(root, file), join(folder, file));
// From the first release on, the server has a changelog of its own.
copyFileSync(
  join(root, existsSync(join(root, 'server/CHANGELOG.md')) ? 'server/CHANGELOG.md' : 'CHANGELOG.md'),
  join(folder, 'CHANGELOG.md'),
);
for (const part of ['deploy', 'docs']) cpSync(join(root, part), join(folder, part), { recursive: true });
const archive = pack();
const npmPackages = [packForNpm(), ...packClients()];
writeFileSync(join(output, 'SHA256SUMS'), [archive, ...npmPackages].map(sumOf).join(''));
console.log(`${archive}  ${sizeOf(archive)} MB, ${packages.size} packages, ${components.length} components of others`);
for (const file of npmPackages) console.log(`${file}  ${sizeOf(file)} MB`);

function copyNode(): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(process.execPath, join(folder, 'bin', 'node'));
  chmodSync(join(folder, 'bin', 'node'), 0o755);
  const launcher = join(folder, 'bin', 'quittance-server');
  writeFileSync(
    launcher,
    '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/node" "$here/../app/server/bin/quittance-server.js" "$@"\n',
  );
  chmodSync(launcher, 0o755);
}

/** Copies a workspace with its types stripped, so that Node does not have to strip them at each start. */
function compile(workspace: string, parts: string[]): void {
  const to = workspace === 'contract' ? join(app, 'node_modules', '@quittance', 'contract') : join(app, workspace);
  for (const file of parts.flatMap((part) =>
    globSync(`${part}/**/*`, { cwd: join(root, workspace), withFileTypes: true }),
  )) {
    if (!file.isFile() || /\.test\.ts$/.test(file.name)) continue;
    const path = join(file.parentPath, file.name).slice(join(root, workspace).length + 1);
    const target = join(to, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    if (/\.(ts|js)$/.test(path)) writeFileSync(target, toJavaScript(join(root, workspace, path)));
    else copyFileSync(join(root, workspace, path), target);
  }
  const { devDependencies: _, scripts: __, ...manifest } = JSON.parse(read(`${workspace}/package.json`));
  writeFileSync(join(to, 'package.json'), JSON.stringify(manifest, null, 2).replaceAll('.ts"', '.js"'));
}

function toJavaScript(file: string): string {
  const source = readFileSync(file, 'utf8');
  const code = file.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  return code.replaceAll(/(\bfrom\s+|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
}

function copyFolder(path: string): void {
  if (existsSync(join(root, path))) cpSync(join(root, path), join(app, path), { recursive: true });
}

function copyFile(path: string): void {
  mkdirSync(dirname(join(app, path)), { recursive: true });
  copyFileSync(join(root, path), join(app, path));
}

/** Copies the dependencies of the server and the contract, and theirs, as the lockfile resolved them. */
function copyPackages(): Map<string, LockedPackage> {
  const needed = closureOf(
    root,
    locked,
    ['server', 'contract'].map((from) => ({ from, names: Object.keys(locked[from]?.dependencies ?? {}) })),
  );
  for (const path of needed.keys()) {
    // A package's own dependencies are separate entries of the list.
    cpSync(join(root, path), join(app, path.replace(/^(server|contract)\//, '')), {
      recursive: true,
      // Links between libraries stay relative, so that they work wherever the archive is unpacked.
      verbatimSymlinks: true,
      filter: (source) => !source.slice(join(root, path).length).includes('node_modules'),
    });
  }
  return needed;
}

function pack(): string {
  const archive = join(output, `${name}.tar.gz`);
  // Sorted and without times, so that the same sources give the same archive.
  execFileSync(
    'tar',
    ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '-czf', archive, '-C', output, name],
    { stdio: 'inherit' },
  );
  return archive;
}

/** The same files without Node and without the packages, which npm fetches. The contract is nowhere else, so it is included. */
function packForNpm(): string {
  const staged = join(output, 'npm');
  rmSync(staged, { recursive: true, force: true });
  const ours = /^@quittance\//;
  const contract = join('node_modules', '@quittance', 'contract');
  cpSync(app, staged, {
    recursive: true,
    filter: (source) =>
      !source.startsWith(join(app, 'node_modules')) ||
      join(app, contract).startsWith(source) ||
      source.startsWith(join(app, contract)),
  });
  const dependencies = Object.fromEntries(
    ['server', 'contract']
      .flatMap((workspace) =>
        Object.entries((JSON.parse(read(`${workspace}/package.json`)) as LockedPackage).dependencies ?? {}),
      )
      .filter(([dependency]) => !ours.test(dependency)),
  );
  const { description, license } = JSON.parse(read('package.json')) as Record<string, string>;
  const manifest = {
    name: 'quittance-server',
    version,
    description,
    license,
    type: 'module',
    bin: { 'quittance-server': 'server/bin/quittance-server.js' },
    engines: { node: '>=22.18' },
    dependencies: { '@quittance/contract': version, ...dependencies },
    bundleDependencies: ['@quittance/contract'],
  };
  writeFileSync(join(staged, 'package.json'), JSON.stringify(manifest, null, 2));
  for (const file of ['LICENSE', 'README.md']) copyFileSync(join(root, file), join(staged, file));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', output], {
    cwd: staged,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(output, `quittance-server-${version}.tgz`);
}

/** The client and the command line, as the service offers them at /docs. */
function packClients(): string[] {
  return [...clientPackages()].map(([file, bytes]) => {
    const to = join(output, file.replace(/(\.tgz|\.tar\.gz)$/, `-${version}$1`));
    writeFileSync(to, bytes);
    return to;
  });
}

function sumOf(file: string): string {
  return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`;
}

function sizeOf(file: string): string {
  return (readFileSync(file).length / 1024 / 1024).toFixed(1);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
