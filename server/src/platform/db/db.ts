import { invariant } from '../errors.ts';

/** Access to PostgreSQL, the same inside and outside a transaction. */
export interface Db {
  /**
   * Runs one named, prepared statement and returns its rows. The name is unique to the text.
   * The columns are named in camel case: `tx_hash` arrives as `txHash`, so an interface of the domain can be the row.
   * Types: `numeric` and `bigint` columns arrive as `bigint` (numeric without fraction), `timestamptz` as `Date`,
   * `bytea` as `Buffer`, `jsonb` parsed.
   */
  query<Row>(name: string, sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A pool of connections; opens transactions. */
export interface Database extends Db {
  /** Runs `work` in one READ COMMITTED transaction. Commits when it returns, rolls back when it throws. */
  transaction<T>(work: (db: Transaction) => Promise<T>): Promise<T>;
  /** The database's clock, to the millisecond. */
  now(): Promise<Date>;
  /** Listens on a channel over a separate connection; the result stops it. A lost connection is opened again. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
  /** Wakes listeners; coalesced, sent after the commit on a separate connection, never inside a transaction. */
  notify(channel: string, payload?: string): void;
  /** How many connections are busy and idle, and how many requests wait for one. */
  connections(): { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface Transaction extends Db {
  /** Runs once the transaction has committed; never after a rollback. */
  afterCommit(run: () => void): void;
}

/** The database's real time, on the connection of the current transaction. */
export async function readClock(db: Db): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(
    'read_clock',
    `select date_trunc('milliseconds', clock_timestamp()) as now`,
  );
  invariant(row, 'the database has a clock');
  return row.now;
}

/** Waits for every transaction that holds the same name, and holds it until this transaction ends. Stores nothing. */
export async function lockName(db: Pick<Transaction, 'query'>, name: string): Promise<void> {
  await db.query('lock_name', 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
