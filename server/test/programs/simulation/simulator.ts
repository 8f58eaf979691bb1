import './deterministic.ts';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { createCaches } from '../../../src/caches.ts';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import type { Outbound } from '../../../src/outside/http/outbound.ts';
import { injector } from '../../support/inject.ts';
import { QUIET } from '../../support/settings.ts';
import { run, type Outcome } from './run.ts';
import type { Scenario } from './scenarios.ts';
import { createObserver } from './observer.ts';
import { inTimeOf, pricesIn, SECRETS, type Sockets } from './world.ts';

export interface Simulator {
  run(seed: number, steps: number, scenario?: Scenario): Promise<Outcome>;
  close(): Promise<void>;
}

/** One service on one database; each run starts with an empty one. */
export async function createSimulator(databaseUrl?: string): Promise<Simulator> {
  const stack = new AsyncDisposableStack();
  try {
    return await build(stack, databaseUrl);
  } catch (error) {
    // A started database would otherwise keep running.
    await stack.disposeAsync();
    throw error;
  }
}

async function build(stack: AsyncDisposableStack, databaseUrl?: string): Promise<Simulator> {
  const world: Sockets['world'] = { current: null };
  const log = pino({ level: process.env.SIM_LOG_LEVEL ?? 'silent' }, pino.destination(2));
  // The service's own log is checked for secrets, and its alarms are kept.
  const watched = pino(
    { level: process.env.SIM_LOG_LEVEL ?? 'info' },
    {
      write(line) {
        if (process.env.SIM_LOG_LEVEL) process.stderr.write(line);
        if (SECRETS.test(line)) world.current?.wrong.push('I11: a line of the log holds a secret');
        if (line.includes('"alarm"')) world.current?.alarms.push(JSON.parse(line));
      },
    },
  );
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-sim-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  let url = databaseUrl;
  url ??= await databaseFor(dataDir, log, stack);
  // A single connection, so that concurrent statements have the same order in every run.
  const real = openDatabase({ url, log, connections: 1 });
  stack.defer(() => real.close());

  const chains: Sockets['chains'] = new Map();
  const routers: Sockets['routers'] = [];
  const config = readConfig({
    ...QUIET,
    PROFILE: 'development',
    PORT: '0',
    DATA_DIR: dataDir,
    MASTER_KEY: '5e'.repeat(32),
    DATABASE_URL: url,
    RATE_LIMIT_PER_SECOND: '1000000',
  });
  const app = await createApp(config, {
    log: watched,
    db: inTimeOf(real, { world }),
    chains,
    routers,
    prices: pricesIn({ world }),
    outbound: NO_OUTBOUND,
  });
  stack.defer(() => app.close());
  const observer = await createObserver(url);
  stack.defer(() => observer.close());
  const sockets: Sockets = { ctx: app.ctx, inject: injector(app.server), chains, routers, world };

  return {
    async run(seed, steps, scenario) {
      await empty(real);
      // The ids of a seed are the same each time, and what a killed process asked for is never answered.
      Object.assign(app.ctx.caches, createCaches());
      return run(sockets, observer, { seed, steps, scenario });
    },
    close: () => stack.disposeAsync(),
  };
}

/** A database without durability and over a local socket, because most of a step is waiting for it. */
export async function databaseFor(dataDir: string, log: Logger, stack: AsyncDisposableStack): Promise<string> {
  const hasSockets = process.platform !== 'win32' && dataDir.length < MAX_SOCKET_PATH;
  const { url, stop } = await startEmbeddedDatabase({
    dataDir,
    log,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      ...(hasSockets && { unix_socket_directories: dataDir }),
    },
  });
  stack.defer(stop);
  await migrate({ url, log, strict: true });
  return hasSockets ? `${url}?host=${encodeURIComponent(dataDir)}` : url;
}

/** A longer path does not fit with the socket's own name. */
const MAX_SOCKET_PATH = 80;

/** The delivering processes send webhooks; the API sends none here. */
const NO_OUTBOUND: Outbound = {
  post: async () => ({ status: null, body: null, error: 'connection_refused', durationMs: 1 }),
  objectionTo: () => null,
  drop() {},
  close: async () => {},
};

/** Only tables that were written: emptying an empty table takes as long as any. */
async function empty(db: Database): Promise<void> {
  const tables = await db.query<{ name: string }>(
    'sim_tables',
    `
    select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname <> 'schema_migrations' order by relname`,
  );
  const names = tables.map(({ name }) => `case when exists (select 1 from ${name}) then '${name}' end`);
  const [row] = await db.query<{ written: string[] }>(
    'sim_written',
    `select array_remove(array[${names.join(', ')}], null) as written`,
  );
  if (row && row.written.length > 0)
    await db.query(
      `sim_empty_${createHash('md5').update(row.written.join()).digest('hex')}`,
      `truncate ${row.written.join(', ')} cascade`,
    );
}
