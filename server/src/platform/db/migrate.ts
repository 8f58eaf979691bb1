import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { StartupError } from '../errors.ts';
import { sha256 } from '../secrets.ts';
import type { Db } from './db.ts';
import { refuseSharedSessions } from './pooler.ts';

export interface Migration {
  name: string;
  sql: string;
  /** In hex, of the text with plain line feeds, so that line endings do not matter. */
  sha256: string;
  /** Removes what the previous release uses, so that release must not run any more. Its second line says so. */
  isContract: boolean;
}

const CONTRACT = /^-- Contract: /m;
const LIST_APPLIED = 'select name, sha256, is_contract as "isContract" from schema_migrations';
const FILE_NAME = /^[0-9]{4}-[a-z0-9-]+\.sql$/;
// Any number that no other program on the same database is likely to lock.
const LOCK = 5_154_421;
const LOCK_RETRY_MS = 100;
/**
 * While a migration waits for a table, every other statement on that table queues behind it. So it waits briefly, and
 * pauses longer.
 */
const LOCK_TIMEOUT_MS = 500;
const TABLE_RETRY_MS = 5 * LOCK_TIMEOUT_MS;
const MAX_LOCK_WAITS = 100;
/** Deadlock detected, lock not available. */
const LOCK_CONFLICT_CODES = new Set(['40P01', '55P03']);
const OLDEST_SERVER = 150_000;

/** The only kind of statement in a migration that builds indexes without blocking writes. */
const CONCURRENT_INDEX = /^create (?:unique )?index concurrently if not exists ([a-z0-9_]+) on [^;]+$/i;

/** The numbered migrations, in order. */
export async function readMigrations(directory = new URL('./migrations/', import.meta.url)): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const wrong = names.find((name) => !FILE_NAME.test(name));
  if (wrong) throw new StartupError(`The migration "${wrong}" must be named like 0001-foundation.sql.`);

  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(new URL(name, directory), 'utf8')).replaceAll('\r\n', '\n');
      return {
        name: name.replace(/\.sql$/, ''),
        sql,
        sha256: sha256(sql).toString('hex'),
        isContract: CONTRACT.test(sql),
      };
    }),
  );
}

/**
 * Brings the schema up to date: each migration once, in its own transaction, by the process that starts first. Others
 * wait. A migration of `create index concurrently` runs outside a transaction, because PostgreSQL requires it. An
 * applied migration that has changed since is rejected in production and logged in development.
 */
export async function migrate(options: {
  url: string;
  log: Logger;
  strict: boolean;
  migrations?: Migration[];
}): Promise<string[]> {
  const migrations = options.migrations ?? (await readMigrations());
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'quittance migrate',
    connectionTimeoutMillis: 10_000,
  });
  const applied: string[] = [];
  let waits = 0;

  await connect(client, options.url);
  try {
    await refuseUnfitServer(client);
    await refuseSharedSessions(options.url);
    while (true) {
      await begin(client);
      await client.query(
        `create table if not exists schema_migrations
          (name text primary key, sha256 text not null, is_contract boolean not null, applied_at timestamptz(3) not null)`,
      );
      const { rows } = await client.query<Applied>(LIST_APPLIED);
      refuseNewerSchema(difference(migrations, rows));
      const next = nextMigration(migrations, rows, options);
      const isConcurrent = next !== undefined && buildsConcurrently(next);
      if (next && !isConcurrent && !(await apply(client, next))) {
        await client.query('rollback');
        waits += 1;
        if (waits > MAX_LOCK_WAITS)
          throw new StartupError(
            `The migration ${next.name} waited ${MAX_LOCK_WAITS} times for tables that are in use. ` +
              'Nothing of it was kept. Start again when there is less traffic, or stop the other processes.',
          );
        await pause(TABLE_RETRY_MS);
        continue;
      }
      await client.query('commit');
      if (!next) return applied;
      // Another process may apply it between the two locks.
      if (isConcurrent && !(await applyConcurrently(client, next))) continue;

      options.log.info({ migration: next.name }, 'migration applied');
      applied.push(next.name);
    }
  } finally {
    await client.end();
  }
}

/** The names of the migrations that `migrate` would apply, in order. Changes nothing. */
export async function planMigrations(url: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'quittance migrate',
    connectionTimeoutMillis: 10_000,
  });
  await connect(client, url);
  try {
    const { rows: tables } = await client.query<{ found: boolean }>(
      "select to_regclass('schema_migrations') is not null as found",
    );
    const { rows } = tables[0]?.found
      ? await client.query<{ name: string }>('select name from schema_migrations')
      : { rows: [] };
    const done = new Set(rows.map((row) => row.name));
    return (await readMigrations()).map((migration) => migration.name).filter((name) => !done.has(name));
  } finally {
    await client.end();
  }
}

async function connect(client: pg.Client, url: string): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    // Without the password, which the address may contain.
    const place = URL.canParse(url) ? new URL(url).host : 'the given address';
    const isRefused = cause instanceof pg.DatabaseError;
    throw new StartupError(
      `${isRefused ? `The database at ${place} rejected the connection` : `No connection to the database at ${place}`}: ` +
        `${(cause as Error).message || (cause as { code?: string }).code}. Check DATABASE_URL.`,
      { cause },
    );
  }
}

async function refuseUnfitServer(client: pg.Client): Promise<void> {
  const {
    rows: [row],
  } = await client.query<{ server_version_num: string; server_version: string; read_only: string }>(`
    select current_setting('server_version_num') as server_version_num, current_setting('server_version') as server_version,
      current_setting('transaction_read_only') as read_only`);
  if (row?.read_only === 'on')
    throw new StartupError(
      'The database accepts no writes: it is a standby or set read-only. Point DATABASE_URL at the primary.',
    );
  if (Number(row?.server_version_num) < OLDEST_SERVER)
    throw new StartupError(`PostgreSQL ${row?.server_version} is too old: 15 or newer is required.`);
}

/** A release can run beside what a newer one has added, not beside what it has removed. */
function refuseNewerSchema({ breaking }: SchemaDifference): void {
  if (breaking.length > 0)
    throw new StartupError(
      'The database was migrated by a newer release, and this one does not fit its schema ' +
        `(${breaking.join(', ')}). Start the newer release, or restore the backup from before the upgrade.`,
    );
}

/** The first migration that is not applied yet, after a check of the applied ones. */
function nextMigration(
  migrations: Migration[],
  rows: { name: string; sha256: string }[],
  { strict, log }: { strict: boolean; log: Logger },
): Migration | undefined {
  const done = new Map(rows.map((row) => [row.name, row.sha256]));
  const next = migrations.find((migration) => !done.has(migration.name));
  const changed = migrations.filter(
    (migration) => done.has(migration.name) && done.get(migration.name) !== migration.sha256,
  );
  if (changed.length > 0) {
    const names = changed.map((migration) => migration.name).join(', ');
    const message =
      `Migrations that are already applied to this database were changed: ${names}. Restore their files ` +
      'and put the change into a new migration.';
    if (strict) throw new StartupError(message);
    // In development it is logged once, when nothing is left to apply.
    if (!next) log.warn(`${message} In development \`npx quittance-server reset\` starts over.`);
  }
  return next;
}

/**
 * Applies a migration in the open transaction. False if a release that runs beside it held the tables: roll back and
 * try again, so that no statement queues behind a waiting migration for long.
 */
async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(migration.sql);
  } catch (cause) {
    if (LOCK_CONFLICT_CODES.has(String((cause as { code?: unknown }).code))) return false;
    throw new StartupError(`The migration ${migration.name} failed: ${(cause as Error).message}. It was rolled back.`, {
      cause,
    });
  }
  await recordApplied(client, migration);
  return true;
}

async function recordApplied(client: pg.Client, { name, sha256: hash, isContract }: Migration): Promise<void> {
  await client.query(
    'insert into schema_migrations (name, sha256, is_contract, applied_at) values ($1, $2, $3, clock_timestamp())',
    [name, hash, isContract],
  );
}

export interface SchemaDifference {
  /** Migrations of this release that the database has not applied. */
  pending: string[];
  /** Migrations that a newer release has applied. */
  unknown: string[];
  /** Those that this release cannot run beside. */
  breaking: string[];
}

/** How the schema of a database differs from what this release knows. */
export async function compareSchema(db: Db): Promise<SchemaDifference> {
  const rows = await db.query<Applied>('list_migrations', LIST_APPLIED);
  return difference(await readMigrations(), rows);
}

interface Applied {
  name: string;
  sha256: string;
  isContract: boolean;
}

function difference(migrations: readonly Migration[], applied: readonly Applied[]): SchemaDifference {
  const done = new Set(applied.map(({ name }) => name));
  const own = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !own.has(name));
  return {
    pending: migrations.map(({ name }) => name).filter((name) => !done.has(name)),
    unknown: unknown.map(({ name }) => name),
    breaking: unknown.filter((row) => row.isContract).map(({ name }) => name),
  };
}

/**
 * Begins a transaction that holds the lock. It polls instead of waiting in a statement, whose snapshot would block the
 * index that the other process builds.
 */
async function begin(client: pg.Client): Promise<void> {
  while (true) {
    await client.query('begin');
    if (await isTrue(client, 'select pg_try_advisory_xact_lock($1) as answer', [LOCK])) return;
    await client.query('rollback');
    await pause(LOCK_RETRY_MS);
  }
}

function buildsConcurrently({ sql }: Migration): boolean {
  return /\bconcurrently\b/i.test(withoutComments(sql));
}

/**
 * Builds the indexes of a migration one by one, and rebuilds an index that an interrupted start left unfinished. False
 * if the migration is applied already.
 */
async function applyConcurrently(client: pg.Client, migration: Migration): Promise<boolean> {
  while (!(await isTrue(client, 'select pg_try_advisory_lock($1) as answer', [LOCK]))) await pause(LOCK_RETRY_MS);
  try {
    if (
      await isTrue(client, 'select exists (select 1 from schema_migrations where name = $1) as answer', [
        migration.name,
      ])
    )
      return false;
    for (const statement of indexStatements(migration)) {
      const index = CONCURRENT_INDEX.exec(statement)?.[1] as string;
      const unfinished = `select exists (select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid) as answer`;
      if (await isTrue(client, unfinished, [index])) await client.query(`drop index concurrently ${index}`);
      await client.query(statement);
    }
    await recordApplied(client, migration);
    return true;
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(
      `The migration ${migration.name} failed: ${(cause as Error).message}. Start again: unfinished work is repeated.`,
      { cause },
    );
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
  }
}

function indexStatements(migration: Migration): string[] {
  const statements = withoutComments(migration.sql)
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => statement !== '');
  const other = statements.find((statement) => !CONCURRENT_INDEX.test(statement));
  if (other)
    throw new StartupError(
      `The migration ${migration.name} builds an index concurrently, so each of its statements must be ` +
        `\`create index concurrently if not exists name on …\`. This one is not: ${other.slice(0, 100)}`,
    );
  return statements;
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^\s*--.*$/gm, '');
}

async function isTrue(client: pg.Client, sql: string, values: unknown[]): Promise<boolean> {
  const { rows } = await client.query<{ answer: boolean }>(sql, values);
  return rows[0]?.answer === true;
}
