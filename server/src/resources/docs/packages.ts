import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tar, type TarFile } from '../../platform/tar.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The client and the command line as npm packages of the served version, by file name. They are not in a registry. */
export function clientPackages(): Map<string, Buffer> {
  return new Map(
    ['sdk', 'cli']
      .filter((name) => existsSync(new URL(`${name}/dist/`, ROOT)))
      .map((name) => [`quittance-${name}.tgz`, pack(name)]),
  );
}

function pack(name: string): Buffer {
  const folder = new URL(`${name}/`, ROOT);
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
