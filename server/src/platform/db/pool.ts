import pg from 'pg';
import type { Logger } from 'pino';
import { invariant } from '../errors.ts';
import { MINUTE_MS, SECOND_MS } from '../time.ts';
import type { Database, Transaction } from './db.ts';
import { Signals } from './signals.ts';

export interface PoolOptions {
  url: string;
  /** For LISTEN, if `url` goes through a transaction-pooling proxy. */
  directUrl?: string | null;
  log: Logger;
  connections?: number;
  /** How long to wait for a connection, free or new, before giving up. */
  connectionTimeoutMs?: number;
}

const CONNECTION_TIMEOUT_MS = 5 * SECOND_MS;
// A new connection costs PostgreSQL a process, in the very moment in which many requests arrive.
const IDLE_TIMEOUT_MS = 10 * MINUTE_MS;
// Far above any statement's duration: it only ends waiting on a connection that died silently.
const ANSWER_TIMEOUT_MS = 30 * SECOND_MS;

/** A pool of connections to one PostgreSQL. Opens none before the first statement. */
export function openDatabase({
  url,
  directUrl,
  log,
  connections = 16,
  connectionTimeoutMs = CONNECTION_TIMEOUT_MS,
}: PoolOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    // Concurrent statements of one connection are sent together.
    pipeline: true,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    // Proxies drop what is silent for minutes, and the system would ask after two hours.
    keepAliveInitialDelayMillis: MINUTE_MS,
    application_name: 'quittance',
  });
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'idle database connection lost');
  });
  pool.on('connect', nameFieldsInCamelCase);
  const signals = new Signals({ url: directUrl ?? url, log });

  return {
    query: (name, sql, values) => run(pool, name, sql, values),
    transaction: (work) => transaction(pool, log, work),
    async now() {
      const [row] = await run<{ now: Date }>(
        pool,
        'clock',
        `select date_trunc('milliseconds', clock_timestamp()) as now`,
      );
      invariant(row, 'the database has a clock');
      return row.now;
    },
    listen: (channel, onMessage) => signals.listen(channel, onMessage),
    notify: (channel, payload) => signals.notify(channel, payload),
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      await signals.close();
      await pool.end();
    },
  };
}

async function transaction<T>(pool: pg.Pool, log: Logger, work: (db: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A lost connection fails its statements; without a listener the event would end the process.
  const lost = (error: Error) => {
    broken = error;
  };
  client.on('error', lost);
  const committed: (() => void)[] = [];
  let open = true;
  let broken: Error | undefined;
  const db: Transaction = {
    query(name, sql, values) {
      invariant(open, `the transaction of statement ${name} is still open`);
      return run(client, name, sql, values);
    },
    afterCommit: (work) => void committed.push(work),
  };

  let result: T;
  try {
    // Awaited before any statement of the work: if BEGIN alone failed, each of them would commit by itself.
    await client.query('begin isolation level read committed');
    result = await work(db);
    open = false;
    const { command } = await client.query('commit');
    // PostgreSQL answers `commit` of a failed transaction with ROLLBACK and no error.
    invariant(
      command === 'COMMIT',
      'a transaction with a failed statement cannot be committed: do not swallow statement errors',
    );
  } catch (error) {
    open = false;
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }

  for (const work of committed) {
    try {
      work();
    } catch (error) {
      log.error({ err: error }, 'after-commit work failed');
    }
  }
  return result;
}

async function run<Row>(
  on: pg.Pool | pg.PoolClient,
  name: string,
  sql: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await on.query({ name, text: sql, values: values as unknown[] | undefined });
  return rows as Row[];
}

/**
 * Returns the columns of a connection's statements in camel case: `tx_hash` as `txHash`. The description of a result,
 * which comes once, before its rows, is renamed, so that no row costs more. Values stay as they are, JSON too.
 */
function nameFieldsInCamelCase(client: pg.PoolClient): void {
  const names = new Map<string, string>();
  const nameOf = (column: string) => {
    const name = names.get(column) ?? camelCase(column);
    names.set(column, name);
    return name;
  };
  // Before the driver's own listener, which builds the rows by these names.
  client.connection.prependListener('rowDescription', ({ fields }: { fields: { name: string }[] }) => {
    for (const field of fields) field.name = nameOf(field.name);
  });
}

/** The property of a column. */
export function camelCase(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const { builtins } = pg.types;
const ARRAY_OF_INT8 = 1016;
const ARRAY_OF_NUMERIC = 1231;

/** How PostgreSQL's types are returned: whole numbers that may not fit a JavaScript number as `bigint`. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format);
  },
} as typeof pg.types;

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, numeric],
  [ARRAY_OF_INT8, (text) => arrayOf(text).map((item) => (item === null ? null : BigInt(item)))],
  [ARRAY_OF_NUMERIC, (text) => arrayOf(text).map((item) => (item === null ? null : numeric(item)))],
  // A date has no time zone, so it is not an instant and stays text.
  [builtins.DATE, (text) => text],
]);

/** Amounts are whole. Numbers with a fraction (rates) stay exact text. */
function numeric(text: string): bigint | string {
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : text;
}

/** An array of numbers as PostgreSQL writes it: no quotes, no nesting. */
function arrayOf(text: string): (string | null)[] {
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',').map((item) => (item === 'NULL' ? null : item));
}
