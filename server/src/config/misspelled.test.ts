import { expect, test } from 'vitest';
import { findMisspelled } from './misspelled.ts';
import { SETTINGS } from './settings.ts';

const known = SETTINGS.map(({ name }) => name);
const find = (...names: string[]) => findMisspelled(names, known);

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['PROT', 'PORT'],
  ['RATE_LIMIT_PER_SECONDS', 'RATE_LIMIT_PER_SECOND'],
  ['MAIL_FORM', 'MAIL_FROM'],
  ['RPC_BSE_URLS', 'RPC_BASE_URLS'],
])('%s is taken for %s', (name, meant) => {
  expect(find(name)).toEqual([{ name, meant }]);
});

test('an unknown name of a family that is ours alone is a mistake even where nothing is near it', () => {
  expect(find('ROUTES_SOMETHING_ELSE')).toEqual([{ name: 'ROUTES_SOMETHING_ELSE', meant: null }]);
});

test('settings of the machine, Node, npm or an orchestrator are ignored', () => {
  expect(
    find(
      ...['PATH', 'HOME', 'PWD', 'SHELL', 'LANG', 'TERM', 'USER', 'NODE_ENV', 'NODE_OPTIONS', 'PGHOST', 'PGPORT'],
      ...['REDIS_SERVICE_HOST', 'REDIS_PORT_6379_TCP', 'KUBERNETES_PORT', 'HOSTNAME', 'npm_config_loglevel', 'CI'],
      ...known,
    ),
  ).toEqual([]);
});
