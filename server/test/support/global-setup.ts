import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { findCluster } from '../../src/platform/db/embedded/cluster.ts';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { findPostmaster, isAlive, stopPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { ask } from './ask.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run, and the migrated database that each test file clones. */
    testDatabase: { serverUrl: string; template: string };
    /** A directory of this run, removed at its end. */
    runDir: string;
  }
}

const DIRECTORY = /^quittance-test-([0-9]+)-/;
const DATABASE = 'database';

/** For the tests of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { testDatabase, runDir, stop } = await startTestServer(project.name);
  project.provide('testDatabase', testDatabase);
  project.provide('runDir', runDir);
  return stop;
}

/**
 * Once per run: a PostgreSQL (DATABASE_URL, or an embedded one in a temporary directory) with the schema in a template.
 */
export async function startTestServer(name: string): Promise<ProvidedContext & { stop(): Promise<void> }> {
  await removeAbandoned();
  const runDir = await mkdtemp(join(tmpdir(), `quittance-test-${process.pid}-`));
  const server = await startServer(join(runDir, DATABASE));
  const template = `quittance_template_${name}_${process.pid}_${Date.now()}`;
  await ask(server.url, `create database ${template}`);
  await migrate({ url: withDatabase(server.url, template), log: quiet, strict: true });
  return {
    testDatabase: { serverUrl: server.url, template },
    runDir,
    async stop() {
      await ask(server.url, `drop database ${template} with (force)`);
      await server.stop();
      await rm(runDir, { recursive: true, force: true });
    },
  };
}

const quiet = pino({ level: 'silent' });

async function startServer(dataDir: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };

  return startEmbeddedDatabase({
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
}

/** A run that was killed leaves its directory and its database behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = DIRECTORY.exec(name) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    const runDir = join(tmpdir(), name);
    try {
      const cluster = await findCluster(join(runDir, DATABASE));
      const postmaster = cluster && (await findPostmaster(cluster));
      if (postmaster) await stopPostmaster(postmaster);
      await rm(runDir, { recursive: true, force: true });
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
