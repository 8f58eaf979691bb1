import { expect, test } from 'vitest';
import { findMisspelled, OWN_PREFIXES } from './misspelled.ts';
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

test.each([
  'ROUTES_SOMETHING_ELSE',
  'RESERVED_AMOUNTS_PER_SOMETHING',
  'WALLETCONNECT_METADATA',
  'SINGLE_PROVIDER_EUR_PER_WEEK',
  'LOGIN_MAILS_PER_FORTNIGHT',
  'RECEIPT_MAILS_PER_FORTNIGHT',
])('an unknown name of a family that is ours alone, such as %s, is a mistake even where nothing is near it', (name) => {
  expect(find(name)).toEqual([{ name, meant: null }]);
});

// A new setting is added to the prefixes, or here if other programs use its prefix too.
test('every setting has a prefix that is ours alone, or one that other programs use too', () => {
  const shared = /^(DATA|DATABASE|LOG|MAIL|MASTER|MAX|METRICS|PUBLIC|REDIS|RETENTION|SMTP|TRUSTED)_/;
  const unsorted = known.filter(
    (name) => name.includes('_') && !shared.test(name) && !OWN_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  expect(unsorted).toEqual([]);
});

test('the variables that Kubernetes adds for a service with such a name are ignored, and nothing else', () => {
  const injected = [
    ...['RPC_BASE_SERVICE_HOST', 'RPC_BASE_SERVICE_PORT', 'RPC_BASE_SERVICE_PORT_HTTP', 'RPC_BASE_PORT'],
    ...['RPC_BASE_PORT_8545_TCP', 'RPC_BASE_PORT_8545_TCP_PROTO', 'RPC_BASE_PORT_8545_TCP_PORT'],
    'RPC_BASE_PORT_8545_TCP_ADDR',
  ];
  expect(find(...injected)).toEqual([]);
  expect(find('RPC_BASE_PORT')).toEqual([{ name: 'RPC_BASE_PORT', meant: null }]);
  expect(find(...injected, 'RPC_BASE_URL')).toEqual([{ name: 'RPC_BASE_URL', meant: 'RPC_BASE_URLS' }]);
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
