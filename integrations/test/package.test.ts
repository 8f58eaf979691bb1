import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test('publint finds nothing wrong with the package', () => {
  const { status, stdout, stderr } = spawnSync('publint', ['--strict'], { cwd: root, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});

test('it depends on the client only, and each import adds at most 1.5 kB to it', async () => {
  const { dependencies, peerDependencies, exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  expect([dependencies, Object.keys(peerDependencies)]).toEqual([undefined, ['@quittance/sdk']]);
  for (const { default: file } of Object.values<{ default: string }>(exports)) {
    const bundle = await rolldown({ cwd: root, input: file, platform: 'neutral', external: /^@quittance\/sdk/ });
    const { output } = await bundle.generate({ minify: true });
    expect(gzipSync(output[0].code).length, file).toBeLessThan(1_500);
  }
});
