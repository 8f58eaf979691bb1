import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { openCluster } from '../../src/platform/db/embedded/cluster.ts';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { findBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { findPostmaster, isAlive, stopPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { createLauncher } from '../../src/platform/db/embedded/program.ts';
import { migrate } from '../../src/platform/db/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run, and the migrated database that each test file clones. */
    testDatabase: { serverUrl: string; template: string };
  }
}

const DIRECTORY = /^quittance-test-([0-9]+)-/;

/**
 * Once per run: a PostgreSQL (DATABASE_URL, or an embedded one in a temporary directory) with the schema in a template.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const template = `quittance_template_${project.name}_${process.pid}_${Date.now()}`;
  await execute(server.url, `create database ${template}`);
  await migrate({ url: withDatabase(server.url, template), log: quiet, strict: true });
  project.provide('testDatabase', { serverUrl: server.url, template });

  return async () => {
    await execute(server.url, `drop database ${template} with (force)`);
    await server.stop();
  };
}

const quiet = pino({ level: 'silent' });

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };

  await removeAbandoned();
  const dataDir = await mkdtemp(join(tmpdir(), `quittance-test-${process.pid}-`));
  const database = await startEmbeddedDatabase({
    dataDir,
    log: quiet,
    // Temporary, so nothing has to survive a power failure.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '400',
      autovacuum_naptime: '10min',
    },
  });
  return {
    url: database.url,
    async stop() {
      await database.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A run that was killed leaves its database behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = DIRECTORY.exec(name) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    const dataDir = join(tmpdir(), name);
    try {
      const postmaster = await findPostmaster(await openCluster(dataDir, await findBinaries(), await createLauncher()));
      if (postmaster) await stopPostmaster(postmaster);
      await rm(dataDir, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another run is removing it right now.
    }
  }
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

export async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
