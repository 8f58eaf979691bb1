import pg from 'pg';
import { StartupError } from '../errors.ts';

/** Two clients that give a statement the same name share one connection of a pooler that does not track names. */
const CHECK = { name: 'quittance_pooler_check', text: 'select 1' };
/** The statement exists already, or does not exist. */
const UNTRACKED_STATEMENT_CODES = new Set(['42P05', '26000']);

/**
 * Rejects a pooler that gives a client's transactions to different connections and does not track its prepared
 * statements: PgBouncer before 1.21, or without `max_prepared_statements`. Every statement of the service is prepared.
 */
export async function refuseUnfitPooler(url: string): Promise<void> {
  const clients = [1, 2].map(
    () =>
      new pg.Client({ connectionString: url, application_name: 'quittance check', connectionTimeoutMillis: 10_000 }),
  );
  try {
    for (const client of clients) {
      client.on('error', () => {});
      await client.connect();
    }
    for (const client of [...clients, ...clients]) await client.query(CHECK);
  } catch (error) {
    const { code } = error as { code?: string };
    if (!UNTRACKED_STATEMENT_CODES.has(String(code))) throw error;
    throw new StartupError(
      `DATABASE_URL leads through a pooler that loses prepared statements (${code}). With PgBouncer, use 1.21 or newer and set max_prepared_statements, or pool by session.`,
      { cause: error },
    );
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}
