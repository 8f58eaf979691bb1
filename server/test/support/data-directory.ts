import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { madeOnce } from './made-once.ts';

/** Fills a data directory with an embedded database that was stopped: a first start without the seconds of initdb. */
export async function fillDataDirectory(directory: string, { schema = false } = {}): Promise<void> {
  const made = await madeOnce(schema ? 'with-schema' : 'without-schema', makeDatabase(schema));
  copyDirectory(made, directory);
}

/**
 * A copy with the permissions of each folder, which PostgreSQL looks at. Synchronous: it is a thousand small files, and
 * on a busy machine each would wait for its turn several times.
 */
export function copyDirectory(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: statSync(from).mode });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, copy);
    else copyFileSync(source, copy);
  }
}

/** A new data directory of a service that has started once, and has no account yet. */
export async function newDataDirectory(): Promise<string> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'quittance-data-'));
  await fillDataDirectory(directory, { schema: true });
  return directory;
}

function makeDatabase(schema: boolean) {
  return async (dataDir: string) => {
    if (schema) await fillDataDirectory(dataDir);
    const log = pino({ level: 'silent' });
    const database = await startEmbeddedDatabase({ dataDir, log });
    try {
      if (schema) await migrate({ url: database.url, log, strict: true });
    } finally {
      await database.stop();
    }
  };
}
