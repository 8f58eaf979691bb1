import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { untar } from '../../platform/tar.ts';
import { clientPackages } from './packages.ts';

test.each(['sdk', 'cli', 'integrations', 'vendure', 'medusa'].map((name) => `quittance-${name}.tgz`))(
  '%s has a license, a README and what its manifest names',
  async (name) => {
    const files = await filesOf(clientPackages().get(name));
    expect([...files.keys()]).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md']));
    const {
      main,
      types,
      bin = {},
      exports = {},
    } = JSON.parse(files.get('package/package.json') ?? '') as {
      main?: string;
      types?: string;
      bin?: Record<string, string>;
      exports?: Record<string, { types: string; default?: string }>;
    };
    const exported = Object.values(exports).flatMap((one) => [one.types, one.default]);
    const named = [main, types, ...Object.values(bin), ...exported].filter((path) => path !== undefined);
    expect(named).not.toHaveLength(0);
    for (const path of named) expect(files.has(`package/${path.replace(/^\.\//, '')}`), path).toBe(true);
  },
);

test.each([
  [
    'quittance-python.tar.gz',
    ['pyproject.toml', 'README.md', 'LICENSE', 'quittance/__init__.py', 'quittance/client.py'],
  ],
  ['quittance-php.tar.gz', ['composer.json', 'README.md', 'LICENSE', 'autoload.php', 'src/Quittance.php']],
])('%s has a license, a README and its source, and no tests', async (name, expected) => {
  const root = name.replace('.tar.gz', '');
  const files = [...(await filesOf(clientPackages().get(name))).keys()];
  expect(files).toEqual(expect.arrayContaining(expected.map((path) => `${root}/${path}`)));
  expect(files.filter((path) => path.includes('/tests/') || path.includes('pycache'))).toEqual([]);
});

async function filesOf(archive: Buffer | undefined): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { path, data } of untar(Readable.from([gunzipSync(archive ?? Buffer.alloc(0))])))
    files.set(path, await text(data));
  return files;
}
