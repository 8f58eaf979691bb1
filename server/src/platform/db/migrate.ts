import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { CannotStart } from '../errors.ts';
import { sha256 } from '../secrets.ts';
import type { Db } from './db.ts';

export interface Migration {
  name: string;
  sql: string;
  /** In hex, of the text with plain line feeds, so that a checkout's line ends do not matter. */
  sha256: string;
}

const FILE_NAME = /^[0-9]{4}-[a-z0-9-]+\.sql$/;
// Any number that no other program using the same database would lock by chance.
const LOCK = 5_154_421;
const OLDEST_SERVER = 150_000;

/** The numbered migrations, in order. */
export async function readMigrations(directory = new URL('./migrations/', import.meta.url)): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const wrong = names.find((name) => !FILE_NAME.test(name));
  if (wrong) throw new CannotStart(`The migration "${wrong}" must be named like 0001-the-house.sql.`);

  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(new URL(name, directory), 'utf8')).replaceAll('\r\n', '\n');
      return { name: name.replace(/\.sql$/, ''), sql, sha256: sha256(sql).toString('hex') };
    }),
  );
}

/**
 * Brings the schema up to date: each migration once, in a transaction of its own, whoever starts first; others wait.
 * An applied one that has changed since is refused in production, and only told of in development.
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

  await connect(client, options.url);
  try {
    await refuseOldServer(client);
    while (true) {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
      await client.query(
        'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz(3) not null)',
      );
      const { rows } = await client.query<{ name: string; sha256: string }>(
        'select name, sha256 from schema_migrations',
      );
      const next = nextMigration(migrations, rows, options);
      if (next) await apply(client, next);
      await client.query('commit');
      if (!next) return applied;

      options.log.info({ migration: next.name }, 'migration applied');
      applied.push(next.name);
    }
  } finally {
    await client.end();
  }
}

async function connect(client: pg.Client, url: string): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    // Without the password, which the address may hold.
    const place = URL.canParse(url) ? new URL(url).host : 'the given address';
    throw new CannotStart(
      `The database at ${place} rejected the connection: ${(cause as Error).message || (cause as { code?: string }).code}. Check DATABASE_URL.`,
      { cause },
    );
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const {
    rows: [row],
  } = await client.query<{ server_version_num: string; server_version: string }>(`
    select current_setting('server_version_num') as server_version_num, current_setting('server_version') as server_version`);
  if (Number(row?.server_version_num) < OLDEST_SERVER)
    throw new CannotStart(`PostgreSQL ${row?.server_version} is too old: 15 or newer is required.`);
}

/** The first that is not applied yet, after a look at those that are. */
function nextMigration(
  migrations: Migration[],
  rows: { name: string; sha256: string }[],
  { strict, log }: { strict: boolean; log: Logger },
): Migration | undefined {
  const done = new Map(rows.map((row) => [row.name, row.sha256]));
  const next = migrations.find((migration) => !done.has(migration.name));
  // Looked at once, when nothing is left to do or before the first is applied.
  const changed = migrations.filter(
    (migration) => done.has(migration.name) && done.get(migration.name) !== migration.sha256,
  );
  if (changed.length > 0) {
    const names = changed.map((migration) => migration.name).join(', ');
    const message = `Migrations that are already applied to this database were changed: ${names}. Restore their files and put the change into a new migration.`;
    if (strict) throw new CannotStart(message);
    if (!next) log.warn(`${message} In development \`npm run reset\` starts over.`);
  }
  return next;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (cause) {
    throw new CannotStart(`The migration ${migration.name} failed: ${(cause as Error).message}. It was rolled back.`, {
      cause,
    });
  }
  await client.query('insert into schema_migrations (name, sha256, applied_at) values ($1, $2, clock_timestamp())', [
    migration.name,
    migration.sha256,
  ]);
}

/** The names of migrations that this database has not applied yet. */
export async function findPending(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>('list_migrations', 'select name from schema_migrations');
  const done = new Set(rows.map((row) => row.name));
  return (await readMigrations()).map((migration) => migration.name).filter((name) => !done.has(name));
}
