import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('the clients that npm does not know have the version of the service, without which Composer takes none', () => {
  const { version } = JSON.parse(read('server/package.json'));
  expect(JSON.parse(read('clients/php/composer.json')).version).toBe(version);
  expect(read('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
});
