import { pino } from 'pino';
import { inject, type ProvidedContext } from 'vitest';
import type { Database } from '../../src/platform/db/db.ts';
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
    db,
    async drop() {
      await db.close();
      await ask(given.serverUrl, `drop database ${name} with (force)`);
    },
  };
}

/** Makes a database read-only, as a standby is. Its connections end, because open ones could still write. */
export async function refuseWrites(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const server = withDatabase(url, 'postgres');
  await ask(server, `alter database "${name}" set default_transaction_read_only = on`);
  await ask(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}
