import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A Node of this major version on the path, if there is one. */
function findNode(major: number): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find(
      (file) =>
        existsSync(file) && spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${major}.`),
    );
}

for (const major of [20, 24]) {
  const node = findNode(major);
  test.skipIf(!node)(
    `the built package works on Node ${major}${node ? '' : ' (SKIPPED: there is no such Node on the path)'}`,
    () => {
      const { status, stdout, stderr } = spawnSync(node as string, ['--test', 'test/package.mjs'], {
        cwd: root,
        encoding: 'utf8',
      });
      expect({ status, failed: /fail (\d+)/.exec(stdout)?.[1] }, stdout + stderr).toEqual({ status: 0, failed: '0' });
    },
  );
}

test('the types are those of the OpenAPI document', () => {
  execFileSync(process.execPath, ['scripts/generate-types.ts', '--check'], { cwd: root, stdio: 'pipe' });
});

test.each([
  ['publint', ['--strict']],
  ['attw', ['--pack', '.', '--profile', 'node16', '--no-emoji']],
])('%s finds nothing wrong with the package', (command, args) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});

test.each([
  ['index', 12],
  // It verifies by secret and by public keys, and whom a webhook is for.
  ['webhooks', 2.3],
])('%s is below %s kB, minified and compressed', async (entry, limit) => {
  const bundle = await rolldown({ cwd: root, input: `dist/${entry}.js`, platform: 'neutral' });
  const { output } = await bundle.generate({ minify: true });
  const bytes = gzipSync(output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('')).length;
  expect(bytes).toBeLessThan(limit * 1000);
});

test('it depends on nothing', () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
});
