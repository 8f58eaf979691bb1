import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { readBackupNotes, unpackBackup } from '../platform/db/embedded/backup.ts';
import { findCluster } from '../platform/db/embedded/cluster.ts';
import { findRunningDatabase, startEmbeddedDatabase } from '../platform/db/embedded/embedded.ts';
import { staysInUse } from '../platform/db/embedded/postmaster.ts';
import { StartupError } from '../platform/errors.ts';
import { createLogger } from '../platform/log.ts';
import { UsageError, print } from './print.ts';

const log = createLogger('silent');

/**
 * `quittance-server restore <file> [--force]`: the embedded database as it was when the backup was taken. Always fails
 * if a service runs; fails if there is a database, unless forced. That database may be damaged; it is moved aside and
 * never deleted.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  });
  const [name, ...others] = positionals;
  if (!name || others.length > 0) throw new UsageError('Name one backup.');
  const { databaseUrl, dataDir } = readConfig();
  if (databaseUrl)
    throw new StartupError(
      'This restores the embedded database only. DATABASE_URL names a PostgreSQL of your own: see docs/backup.md.',
    );
  const file = resolve(name);
  const notes = await readBackupNotes(file);
  await requireStopped(dataDir, values.force);
  const { movedTo } = await unpackBackup(file, dataDir, {
    beside: { [RESTORE_POINT]: `${JSON.stringify(notes)}\n` },
    async check(aside) {
      // The first start replays the backup's log; better now than under the service. It also shows that PostgreSQL runs
      // here, before it is asked whether the database that is there does.
      await (await startEmbeddedDatabase({ dataDir: aside, log })).stop();
      await requireFree(dataDir);
    },
  });
  if (movedTo) print(`The database that was there is now ${movedTo}. Delete it once you no longer need it.`);
  print(
    [
      `Restored the database as of ${notes.takenAt} into ${dataDir}.`,
      'Next, with the MASTER_KEY of that time:',
      '  1. quittance-server start, with the proxy still closed to customers.',
      '  2. Once /readyz says that no network is behind: quittance-server restore-check.',
      '  3. Open the proxy. Merchants repeat what they created since, by the same Idempotency-Keys; then run restore-check again.',
    ].join('\n'),
  );
}

async function requireStopped(dataDir: string, force: boolean): Promise<void> {
  if (!(await findCluster(dataDir))) return;
  if (await findRunningDatabase(dataDir))
    throw new StartupError(`A service is running on ${dataDir}. Stop it first: --force does not stop it.`);
  if (!force)
    throw new StartupError(`There is a database in ${dataDir} already. With --force it is moved aside, and kept.`);
}

async function requireFree(dataDir: string): Promise<void> {
  const cluster = await findCluster(dataDir);
  if (!cluster) return;
  // A service that was killed may have left its database running. Owning it proves that no other process does.
  try {
    await (await startEmbeddedDatabase({ dataDir, log })).stop();
  } catch (error) {
    // A damaged database does not start, and is why one restores.
    if (await staysInUse(cluster)) throw error;
    print(`The database that is there cannot be started (${reasonOf(error as Error)}), and no process uses it.`);
  }
}

/** PostgreSQL's own reason, or the last line. */
function reasonOf({ message }: Error): string {
  return (/(?:FATAL|PANIC): +(.+)/.exec(message)?.[1] ?? message.trim().split('\n').at(-1) ?? '').trim();
}

/** In the data directory: what the last `restore` has restored. */
export const RESTORE_POINT = 'restored.json';

/** The time of the backup that was restored last, or undefined. */
export async function findRestorePoint(dataDir: string): Promise<Date | undefined> {
  const text = await readFile(join(dataDir, RESTORE_POINT), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : new Date(JSON.parse(text).takenAt);
}
