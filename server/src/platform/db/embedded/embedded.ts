import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { StartupError } from '../../errors.ts';
import { findBinaries } from './binaries.ts';
import { type Cluster, type ClusterPlace, findCluster, findClusterOwner, openCluster, USER } from './cluster.ts';
import {
  findPostmaster,
  freePort,
  interruptPostmaster,
  isAlive,
  isOutdated,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';
import { createLauncher } from './program.ts';

export interface EmbeddedDatabase {
  /** Valid while it runs. After a crash it comes back at the same address. */
  url: string;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Logger;
  /** More PostgreSQL settings, for tests. */
  settings?: Record<string, string>;
}

const DATABASE = 'quittance';
// The session that holds it owns the data directory. A server without such a session is an orphan.
const OWNER_LOCK = 5_154_420;
const OWNER_NAME = /^quittance pid ([0-9]+)$/;
// A killed owner's session ends within milliseconds; one that is closing takes slightly longer.
const OWNER_EXIT_MS = 1_500;
const STARTS = 20;
const LOOK_AGAIN_MS = 20;
const REVIVE_AFTER_MS = 500;

/**
 * Starts the PostgreSQL in the data directory, or takes over one whose owner was killed. Fails if the owner is alive:
 * one data directory serves one server.
 */
export async function startEmbeddedDatabase({
  dataDir,
  log,
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const binaries = await findBinaries();
  const launcher = await createLauncher(binaries.postgres, await findClusterOwner(dataDir));
  const cluster = await openCluster(dataDir, binaries, launcher);
  let stopping = false;
  let owned = await own(cluster, settings, log);
  const { port } = owned.postmaster;
  let revival = Promise.resolve();
  // A process that ends before it stops the database waits for nothing, so it only says that the database has to stop.
  const interrupt = () => interruptPostmaster(owned.postmaster);
  process.once('exit', interrupt);
  try {
    await createDatabase(owned.session);
  } catch (error) {
    await release();
    throw error;
  }
  keep();

  return {
    url: address(cluster, port, DATABASE),
    async stop() {
      stopping = true;
      // Otherwise a server that is just being started again would outlive this.
      await revival;
      await release();
    },
  };

  /** In this order, because nothing takes the server for an orphan while this process holds the lock. */
  async function release(): Promise<void> {
    await stopPostmaster(owned.postmaster);
    process.off('exit', interrupt);
    await owned.session.end().catch(() => {});
  }

  function keep(): void {
    owned.session.once('end', () => {
      revival = revive();
    });
  }

  /** Restarts a server that has died, on the same port, so that the address stays valid. */
  async function revive(): Promise<void> {
    while (!stopping) {
      await delay(REVIVE_AFTER_MS);
      try {
        if (stopping) return;
        log.warn('embedded database stopped: restarting it');
        owned = await own(cluster, settings, log, port);
        return keep();
      } catch (error) {
        log.error({ err: error }, 'embedded database not restarted');
      }
    }
  }
}

/**
 * The address of the embedded database of a server that is running on this data directory, for a command beside it.
 * Undefined if no server runs there; the next start takes over what a killed one left behind.
 */
export async function findRunningDatabase(dataDir: string): Promise<string | undefined> {
  const cluster = await findCluster(dataDir);
  const postmaster = cluster && (await findPostmaster(cluster));
  const session = postmaster && (await openSession(cluster, postmaster, 'quittance looking'));
  if (!session) return undefined;
  try {
    return (await findOwner(session)) === undefined ? undefined : address(cluster, postmaster.port, DATABASE);
  } finally {
    await session.end();
  }
}

interface Owned {
  postmaster: Postmaster;
  session: pg.Client;
}

/** Finds or starts the server and becomes its owner. */
async function own(cluster: Cluster, settings: Record<string, string>, log: Logger, port?: number): Promise<Owned> {
  for (let start = 1; start <= STARTS; start++) {
    const found = await findPostmaster(cluster);
    const started = found ? undefined : await startPostmaster(cluster, port ?? (await freePort()), settings);
    const postmaster = found ?? started;
    const session =
      postmaster &&
      (await openSession(cluster, postmaster, `quittance pid ${process.pid}`).catch(async (error) => {
        // It starts and accepts no sessions: its catalogs are damaged. Left behind, it would keep a restore out.
        if (!found) await stopPostmaster(postmaster);
        throw error;
      }));
    if (!postmaster || !session) {
      await delay(LOOK_AGAIN_MS * start);
      continue;
    }
    await becomeOwner(session, cluster).catch((error) => {
      // Another process owns what this one started.
      started?.leave();
      throw error;
    });
    if (!found) return { postmaster, session };
    if (port === undefined || port === found.port) {
      if (!(await isOutdated(found))) {
        if (port === undefined) log.info({ postmaster: found.pid }, 'embedded database of a killed server taken over');
        return { postmaster, session };
      }
    }
    await stopPostmaster(postmaster);
  }
  throw new StartupError(`The embedded database could not be started. Its log: ${cluster.logFile}`);
}

/** Undefined if the server stopped meanwhile. */
async function openSession(cluster: ClusterPlace, { port }: Postmaster, name: string): Promise<pg.Client | undefined> {
  const session = new pg.Client({
    connectionString: address(cluster, port, 'postgres'),
    application_name: name,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  session.on('error', () => {});
  try {
    await session.connect();
    return session;
  } catch (error) {
    const { code } = error as { code?: string };
    // Refused or reset, or the server reports that it is starting up or shutting down.
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code?.startsWith('57P')) return undefined;
    throw new StartupError(
      `The embedded database rejected the connection: ${(error as Error).message}. Its log: ${cluster.logFile}`,
      { cause: error },
    );
  }
}

async function becomeOwner(session: pg.Client, cluster: Cluster): Promise<void> {
  const until = Date.now() + OWNER_EXIT_MS;
  while (true) {
    const {
      rows: [row],
    } = await session.query<{ owner: boolean }>('select pg_try_advisory_lock($1) as owner', [OWNER_LOCK]);
    if (row?.owner) return;

    const pid = await findOwner(session);
    if (Date.now() > until) {
      await session.end();
      throw new StartupError(
        `Another server${pid ? ` (pid ${pid})` : ''} is running on the data directory ${cluster.dataDir}. ` +
          'Stop it first, or set another DATA_DIR (and PORT) for this one.',
      );
    }
    await delay(LOOK_AGAIN_MS);
  }
}

/** The process that owns the server, if it is known and alive. */
async function findOwner(session: pg.Client): Promise<number | undefined> {
  const { rows } = await session.query<{ application_name: string }>(
    `
    select application_name
      from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = 0 and objid = $1 and granted`,
    [OWNER_LOCK],
  );
  const pid = Number(OWNER_NAME.exec(rows[0]?.application_name ?? '')?.[1] ?? 0);
  return pid > 0 && isAlive(pid) ? pid : undefined;
}

async function createDatabase(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query('select from pg_database where datname = $1', [DATABASE]);
  if (!rowCount) await session.query(`create database ${DATABASE}`);
}

function address(cluster: ClusterPlace, port: number, database: string): string {
  return `postgres://${USER}:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/${database}`;
}
