import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const linesOf = (pattern: string, line: RegExp) =>
  globSync(pattern, { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(line)].map(([, name]) => `${name}`),
  );

test('every image is pinned to one release, so that a build tomorrow is the one of today', () => {
  const images = linesOf('deploy/**/{*.yaml,Dockerfile}', /^(?:FROM|\s*image:) +([^{\s]+)/gm);
  expect(images).toContain('quittance-server:0.1.0');
  expect(images.filter((image) => !/:\d+\.\d+[\w.-]*$/.test(image))).toEqual([]);
});

test('every action of CI is pinned to a commit', () => {
  const actions = linesOf('.github/workflows/*.yml', /uses: +(\S+)/g);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});
