import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { inject, type ProvidedContext } from 'vitest';
import type { Database, Transaction } from '../../src/platform/db/db.ts';
import { openDatabase } from '../../src/platform/db/pool.ts';
import { ask } from './ask.ts';
import { withDatabase } from './global-setup.ts';

export interface TestDatabase {
  url: string;
  db: Database;
  drop(): Promise<void>;
}

let made = 0;

/**
 * A new database with the whole schema and no rows. `drop` it in `afterAll`. Programs name the server and the template.
 */
export async function createTestDatabase(
  given: ProvidedContext['testDatabase'] | undefined = inject('testDatabase'),
): Promise<TestDatabase> {
  if (!given) throw new Error('There is no test database here: tests that need one live below server/test or e2e.');

  const name = `quittance_test_${process.pid}_${++made}`;
  await ask(given.serverUrl, `create database ${name} template ${given.template}`);
  const url = withDatabase(given.serverUrl, name);
  const pooler = process.env.TEST_POOLER;
  // The tests of the service through PgBouncer: only signals bypass it.
  const pooled = pooler ? { url: Object.assign(new URL(url), { host: pooler }).href, directUrl: url } : { url };
  const db = openDatabase({ ...pooled, log: pino({ level: 'silent' }), connections: 8, connectionTimeoutMs: 60_000 });
  return {
    url,
    db: withoutNesting(db),
    async drop() {
      await db.close();
      await ask(given.serverUrl, `drop database ${name} with (force)`);
    },
  };
}

/**
 * Refuses what would take a second connection inside a transaction. In production, as many of those at once as there are
 * connections would wait for one another, and everything else behind them.
 */
function withoutNesting(db: Database): Database {
  const transactions = new AsyncLocalStorage<{ isOpen: boolean; isOfTest: boolean }>();
  const refuse = (what: string) => {
    const around = transactions.getStore();
    if (around?.isOpen && !around.isOfTest && !isOfTest(what))
      throw new Error(`${what} takes a second connection inside a transaction: use the transaction's own`);
  };
  return {
    ...db,
    async query(name, sql, values) {
      refuse(name);
      return db.query(name, sql, values);
    },
    async now() {
      refuse('the clock');
      return db.now();
    },
    async transaction(work) {
      refuse('a transaction');
      const own = { isOpen: true, isOfTest: false };
      const noted = (inside: Transaction): Transaction => ({
        ...inside,
        query(name, sql, values) {
          own.isOfTest ||= isOfTest(name);
          return inside.query(name, sql, values);
        },
      });
      return db
        .transaction((inside) => transactions.run(own, () => work(noted(inside))))
        .finally(() => {
          own.isOpen = false;
        });
    },
  };
}

/** Tests hold a transaction open on purpose, and look from outside. */
function isOfTest(statement: string): boolean {
  return statement.startsWith('test_');
}

/** Makes a database read-only, as a standby is. Its connections end, because open ones could still write. */
export async function refuseWrites(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const server = withDatabase(url, 'postgres');
  await ask(server, `alter database "${name}" set default_transaction_read_only = on`);
  await ask(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}
