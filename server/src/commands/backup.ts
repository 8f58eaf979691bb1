import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packageVersion, readConfig } from '../config.ts';
import { writeBackup } from '../platform/db/embedded/backup.ts';
import { findCluster } from '../platform/db/embedded/cluster.ts';
import { findRunningDatabase, startEmbeddedDatabase } from '../platform/db/embedded/embedded.ts';
import { noteBackup } from '../platform/db/embedded/last-backup.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { invariant, StartupError } from '../platform/errors.ts';
import { createLogger } from '../platform/log.ts';
import { describeServer } from './store.ts';
import { UsageError, print } from './print.ts';

const log = createLogger('silent');

/** `quittance-server backup <file>`: the embedded database as one file, consistent while the service runs. */
export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [name, ...others] = positionals;
  if (!name || others.length > 0) throw new UsageError('Name one file to write the backup into.');
  const file = resolve(name);
  const config = readConfig();
  if (config.databaseUrl)
    throw new StartupError(
      'This backs up the embedded database only. DATABASE_URL names a PostgreSQL of your own: see docs/backup.md.',
    );
  if (await stat(file).catch(() => undefined)) throw new StartupError(`${file} exists already. Name another file.`);
  if (!(await findCluster(config.dataDir))) throw new StartupError(`There is no database in ${config.dataDir}.`);

  const running = await findRunningDatabase(config.dataDir);
  const started = running ? undefined : await startEmbeddedDatabase({ dataDir: config.dataDir, log });
  try {
    const url = running ?? started?.url;
    const cluster = await findCluster(config.dataDir);
    invariant(url && cluster, 'a running database has an address and a place');
    const { takenAt, postgres } = await describe(url);
    await writeBackup({ url, password: cluster.password }, file, {
      format: 1,
      takenAt,
      postgres,
      release: packageVersion(),
    });
    const { size } = await stat(file);
    print(`${file}: the database as of ${takenAt}, ${(size / 1e6).toFixed(1)} MB.`);
    print('It holds no MASTER_KEY. Keep that apart: a restored database cannot be opened without it.');
    await noteBackup(config.dataDir, takenAt).catch(({ message }: Error) =>
      print(`Its time could not be noted in ${config.dataDir}, so an alarm may call it overdue: ${message}.`),
    );
  } finally {
    await started?.stop();
  }
}

async function describe(url: string): Promise<{ takenAt: string; postgres: string }> {
  const db = openDatabase({ url, log });
  try {
    return { takenAt: (await db.now()).toISOString(), postgres: (await describeServer(db))?.version ?? '' };
  } finally {
    await db.close();
  }
}
