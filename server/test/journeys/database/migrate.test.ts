import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareSchema, migrate, type Migration, readMigrations } from '../../../src/platform/db/migrate.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
let real: Migration[];
beforeAll(async () => {
  database = await createTestDatabase();
  real = await readMigrations();
});
afterAll(() => database.drop());

test('a database that is up to date is left as it is', async () => {
  expect(await run(real)).toEqual([]);
  expect(await compareSchema(database.db)).toEqual({ pending: [], unknown: [], breaking: [] });
});

test('of many starts at once each migration is applied by exactly one', async () => {
  const more = [
    ...real,
    migration('9001-counted', 'create table counted (n integer); insert into counted values (1);'),
    migration('9002-counted-too', 'insert into counted values (2);'),
  ];
  const applied = await Promise.all(Array.from({ length: 6 }, () => run(more)));
  expect(applied.flat().sort()).toEqual(['9001-counted', '9002-counted-too']);
  expect(await database.db.query('read_counted', 'select n from counted order by n')).toEqual([{ n: 1 }, { n: 2 }]);
});

test('a migration that fails leaves nothing of itself and is named', async () => {
  const broken = [...real, migration('9003-broken', 'create table half_done (n integer); select 1 / 0;')];
  await expect(run(broken)).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining('9003-broken failed: division by zero'),
  });
  expect(await database.db.query('find_half_done', `select 1 from pg_tables where tablename = 'half_done'`)).toEqual(
    [],
  );
});

test('an index that is built concurrently is built outside of a transaction, by exactly one of many starts', async () => {
  const more = [
    ...real,
    migration('9001-counted', 'create table counted (n integer); insert into counted values (1);'),
    migration('9002-counted-too', 'insert into counted values (2);'),
    migration(
      '9004-indexed',
      '-- Why: it is large.\ncreate index concurrently if not exists counted_n on counted (n);\ncreate ' +
        'unique index concurrently if not exists counted_once\n  on counted (n) where n > 1;\n',
    ),
  ];
  const applied = await Promise.all(Array.from({ length: 6 }, () => run(more)));
  expect(applied.flat()).toEqual(['9004-indexed']);
  expect(await findIndexes()).toEqual([
    { name: 'counted_n', valid: true },
    { name: 'counted_once', valid: true },
  ]);
});

test('an index that an interrupted start left unfinished is built again', async () => {
  const broken = migration(
    '9005-once',
    'create unique index concurrently if not exists counted_small on counted ((n - n));',
  );
  await expect(run([...real, broken])).rejects.toMatchObject({ message: expect.stringContaining('9005-once failed') });
  expect(await findIndexes()).toContainEqual({ name: 'counted_small', valid: false });
  await database.db.query('delete_counted', 'delete from counted where n = 2');
  expect(await run([...real, broken])).toEqual(['9005-once']);
  expect(await findIndexes()).toContainEqual({ name: 'counted_small', valid: true });
});

test('a migration that builds an index concurrently contains nothing else', async () => {
  const mixed = migration(
    '9006-mixed',
    'create index concurrently if not exists counted_more on counted (n);\nalter table counted add column more integer;',
  );
  await expect(run([...real, mixed])).rejects.toMatchObject({
    message: expect.stringContaining('alter table counted'),
  });
  expect(await findIndexes()).not.toContainEqual(expect.objectContaining({ name: 'counted_more' }));
});

test('an applied migration that was changed is rejected in production, and only logged in development', async () => {
  const changed = real.map((one, at) => (at === 0 ? migration(one.name, `${one.sql}\n-- an afterthought`) : one));
  await expect(run(changed)).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining(real[0]?.name ?? ''),
  });
  await expect(run(changed, { strict: false })).resolves.toEqual([]);
});

test('line ends of the checkout do not count as a change', async () => {
  expect(real[0]?.sql).not.toContain('\r');
  expect(real[0]?.sha256).toBe(sha256(real[0]?.sql ?? '').toString('hex'));
});

test('a database that cannot be reached is named without its password', async () => {
  const refusal = await migrate({
    url: 'postgres://ada:hunter2@127.0.0.1:1/nowhere',
    log,
    strict: true,
    migrations: real,
  }).catch((error: Error) => error);
  expect(refusal).toMatchObject({ name: 'StartupError', message: expect.stringContaining('127.0.0.1:1') });
  expect((refusal as Error).message).not.toContain('hunter2');
});

test('a migration that meets a table in use lets go, and is applied once the table is free', async () => {
  await run(real);
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('lock table quotes in share mode');
    const applying = run([...real, migration('9996-waits', 'alter table quotes add column test_waits integer')]);
    // Other statements queue behind it while it waits, so it pauses for much longer than it waits.
    const isWaiting = async () => (await waiting()).length > 0;
    await expect.poll(isWaiting, { interval: 5 }).toBe(true);
    const waitedFrom = performance.now();
    await expect.poll(isWaiting, { interval: 5 }).toBe(false);
    const pausedFrom = performance.now();
    await expect.poll(isWaiting, { interval: 5 }).toBe(true);
    expect(performance.now() - pausedFrom).toBeGreaterThan(2 * (pausedFrom - waitedFrom));
    await other.query('rollback');
    expect(await applying).toEqual(['9996-waits']);
  } finally {
    await other.end();
  }
});

test('a schema that a newer release took something from is refused, and one that it only added to is not', async () => {
  await run(real);
  const newer = [
    migration('9997-adds', 'create table test_added (id integer)'),
    migration(
      '9998-takes-away',
      '-- Why: a test\n-- Contract: no release before this one uses it\ndrop table test_added',
    ),
  ];
  await run([...real, ...newer.slice(0, 1)]);
  expect(await run(real)).toEqual([]);
  await run([...real, ...newer]);
  await expect(run(real)).rejects.toThrow(/newer release.*9998-takes-away/);
});
function waiting(): Promise<unknown[]> {
  return database.db.query(
    'test_waiting',
    `select 1 from pg_locks where not granted and relation = 'quotes'::regclass`,
  );
}

function findIndexes(): Promise<{ name: string; valid: boolean }[]> {
  return database.db.query(
    'find_test_indexes',
    `select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relname like 'counted%' order by c.relname`,
  );
}

function run(migrations: Migration[], { strict = true } = {}): Promise<string[]> {
  return migrate({ url: database.url, log, strict, migrations });
}

function migration(name: string, sql: string): Migration {
  return { name, sql, sha256: sha256(sql).toString('hex'), isContract: /^-- Contract: /m.test(sql) };
}
