import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';

export interface BenchDatabase {
  url: string;
  /** Of this run; deleted after it. */
  dataDir: string;
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** A new database: on the server of DATABASE_URL, otherwise an embedded one. Durable, as in production. */
export async function openBenchDatabase(): Promise<BenchDatabase> {
  const log = pino({ level: 'silent' });
  const given = process.env.DATABASE_URL;
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-bench-'));
  // Removes the parts that exist if the next step fails.
  await using stack = new AsyncDisposableStack();
  // With retries: the server of an interrupted measurement may have left an initdb that still writes here.
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const embedded = given ? undefined : await startEmbeddedDatabase({ dataDir, log });
  stack.defer(() => embedded?.stop());
  const server = given ?? embedded?.url ?? '';
  const name = `quittance_bench_${process.pid}`;
  await once(server, `create database ${name}`);
  stack.defer(() => once(server, `drop database ${name} with (force)`));
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  await migrate({ url, log, strict: true });

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  const made = stack.move();
  return {
    url,
    dataDir,
    async query<Row>(sql: string, values?: unknown[]) {
      return (await client.query(sql, values)).rows as Row[];
    },
    drop: () => made.disposeAsync(),
  };
}

async function once(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
