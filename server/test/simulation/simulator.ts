import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/db.ts';
import { openDatabase } from '../../src/platform/db/pool.ts';
import { injector } from '../support/inject.ts';
import { run, type Outcome } from './run.ts';
import { inTimeOf, pricesIn, receiversIn, type Sockets } from './world.ts';

export interface Simulator {
  run(seed: number, steps: number): Promise<Outcome>;
  close(): Promise<void>;
}

/** One service on one database; each run begins with nothing in it. */
export async function createSimulator(databaseUrl?: string): Promise<Simulator> {
  const stack = new AsyncDisposableStack();
  const log = pino({ level: process.env.SIM_LOG_LEVEL ?? 'silent' }, pino.destination(2));
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-sim-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  let url = databaseUrl;
  if (url === undefined) {
    const embedded = await startEmbeddedDatabase({ dataDir, log, settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } });
    stack.defer(() => embedded.stop());
    url = embedded.url;
    await migrate({ url, log, strict: true });
  }
  // A single connection: what happens at once happens in an order, the same in every run.
  const real = openDatabase({ url, log, connections: 1 });
  stack.defer(() => real.close());

  const world: Sockets['world'] = { current: null };
  const chains: Sockets['chains'] = new Map();
  const routers: Sockets['routers'] = [];
  const config = readConfig({
    PROFILE: 'development', PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, DATABASE_URL: url, PRICES: 'fixed', ROUTES: 'none', RATE_LIMIT_PER_SECOND: '1000000',
    RPC_ETHEREUM_URLS: ',', RPC_BASE_URLS: ',', RPC_POLYGON_URLS: ',', RPC_ARBITRUM_URLS: ',', RPC_SOLANA_URLS: ',',
  });
  const app = await createApp(config, { log, db: inTimeOf(real, { world }), chains, routers, prices: pricesIn({ world }), outbound: receiversIn({ world }) });
  stack.defer(() => app.close());
  const sockets: Sockets = { ctx: app.ctx, inject: injector(app.server), chains, routers, world };

  return {
    async run(seed, steps) {
      await empty(real);
      return run(sockets, seed, steps);
    },
    close: () => stack.disposeAsync(),
  };
}

async function empty(db: Database): Promise<void> {
  const tables = await db.query<{ name: string }>('sim_tables', `
    select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'schema_migrations' order by relname`);
  await db.query('sim_empty', `truncate ${tables.map((table) => table.name).join(', ')} cascade`);
}
