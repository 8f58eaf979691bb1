import pg from 'pg';
import { StartupError } from '../errors.ts';

/** Two clients that give a statement the same name share one connection of a pooler that does not track names. */
const CHECK = { name: 'quittance_pooler_check', text: 'select 1' };
/** The process that serves a connection. A session keeps its own, and shares it with no other. */
const BACKEND = 'select pg_backend_pid() as pid';
const ROUNDS = 4;
/** The statement exists already, or does not exist. */
const UNTRACKED_STATEMENT_CODES = new Set(['42P05', '26000']);

/**
 * Rejects a pooler that gives a client's transactions to different connections and does not track its prepared
 * statements: PgBouncer before 1.21, or without `max_prepared_statements`. Every statement of the service is prepared.
 */
export async function refuseUnfitPooler(url: string): Promise<void> {
  await withTwoClients(url, async (clients) => {
    try {
      for (const client of [...clients, ...clients]) await client.query(CHECK);
    } catch (error) {
      const { code } = error as { code?: string };
      if (!UNTRACKED_STATEMENT_CODES.has(String(code))) throw error;
      throw new StartupError(
        `DATABASE_URL leads through a pooler that loses prepared statements (${code}). With PgBouncer, ` +
          'use 1.21 or newer and set max_prepared_statements, or pool by session.',
        { cause: error },
      );
    }
  });
}

/**
 * Rejects an address that pools by transaction. Migrations hold a lock of their session, which such a pooler would
 * leave behind on a connection of others, and it delivers no notifications.
 */
export async function refuseSharedSessions(url: string): Promise<void> {
  await withTwoClients(url, async (clients) => {
    const backends = clients.map(() => new Set<number>());
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [at, client] of clients.entries()) {
        const { rows } = await client.query<{ pid: number }>(BACKEND);
        backends[at]?.add(rows[0]?.pid ?? 0);
      }
    const all = new Set(backends.flatMap((pids) => [...pids]));
    if (all.size !== clients.length || backends.some((pids) => pids.size !== 1))
      throw new StartupError(
        'Migrations and LISTEN need a connection of their own, and this address pools by transaction. ' +
          'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
      );
  });
}

async function withTwoClients(url: string, check: (clients: pg.Client[]) => Promise<void>): Promise<void> {
  const clients = [1, 2].map(
    () =>
      new pg.Client({ connectionString: url, application_name: 'quittance check', connectionTimeoutMillis: 10_000 }),
  );
  try {
    for (const client of clients) {
      client.on('error', () => {});
      await client.connect();
    }
    await check(clients);
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}
