import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { tar, type TarFile } from '../../platform/tar.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The folders of what npm installs. */
export const NPM = ['sdk', 'cli', 'integrations', 'integrations/vendure', 'integrations/medusa'];

/** The clients and the command line as packages of the served version, by file name. They are not in a registry. */
export function clientPackages(): Map<string, Buffer> {
  const npm = NPM.filter((path) => existsSync(new URL(`${path}/dist/`, ROOT)));
  const others = ['python', 'php'].filter((name) => existsSync(new URL(`clients/${name}/`, ROOT)));
  return new Map([
    ...npm.map((path): [string, Buffer] => [`quittance-${basename(path)}.tgz`, pack(path)]),
    ...others.map((name): [string, Buffer] => [`quittance-${name}.tar.gz`, packSource(name)]),
  ]);
}

/** A client in another language as its source, which is what its package manager installs. */
function packSource(name: string): Buffer {
  const folder = new URL(`clients/${name}/`, ROOT);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(py|php|toml|json|md)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name).slice(fileURLToPath(folder).length))
    .filter((path) => !path.startsWith('tests'))
    .sort();
  const root = `quittance-${name}`;
  return gzipSync(
    tar([
      ...files.map((path) => ({ path: `${root}/${path}`, data: readFileSync(new URL(path, folder)) })),
      { path: `${root}/LICENSE`, data: readFileSync(new URL('LICENSE', ROOT)) },
    ]),
  );
}

function pack(path: string): Buffer {
  const folder = new URL(`${path}/`, ROOT);
  const files = ['bin', 'dist']
    .filter((part) => existsSync(new URL(`${part}/`, folder)))
    .flatMap((part) =>
      readdirSync(new URL(`${part}/`, folder))
        .filter((file) => !file.startsWith('.'))
        .sort()
        .map((file) => read(folder, `${part}/${file}`)),
    );
  const about = [
    { path: 'package/package.json', data: manifestOf(folder) },
    read(folder, 'README.md'),
    read(ROOT, 'LICENSE'),
  ];
  return gzipSync(tar([...about, ...files]));
}

function read(folder: URL, path: string): TarFile {
  return { path: `package/${path}`, data: readFileSync(new URL(path, folder)) };
}

/** Without development dependencies, because some are not in a registry. */
function manifestOf(folder: URL): Buffer {
  const {
    devDependencies: _,
    scripts: __,
    ...manifest
  } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Record<string, unknown>;
  return Buffer.from(JSON.stringify(manifest, null, 2));
}
