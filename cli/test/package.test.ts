import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test('publint finds nothing wrong with the package', () => {
  const { status, stdout, stderr } = spawnSync('publint', ['--strict'], { cwd: root, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});
