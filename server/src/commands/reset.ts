import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { startEmbeddedDatabase } from '../platform/db/embedded/embedded.ts';
import { LAST_BACKUP } from '../platform/db/embedded/last-backup.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { StartupError } from '../platform/errors.ts';
import { createLogger } from '../platform/log.ts';
import { dropEverything } from './store.ts';
import { RESTORE_POINT } from './restore.ts';
import { print } from './print.ts';

const log = createLogger('silent');

/**
 * `quittance-server reset`: deletes everything that a development server has stored, so that the next start is like the
 * first.
 */
export async function run(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  const config = readConfig();
  if (config.profile === 'production')
    throw new StartupError('`quittance-server reset` deletes everything, so it refuses PROFILE=production.');

  if (config.databaseUrl) {
    await dropSchema(config.databaseUrl);
  } else {
    // Owning the database proves that no server runs on this data directory.
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log });
    await embedded.stop();
  }
  for (const name of ['postgres', 'mail', 'demo.json', 'master.key', RESTORE_POINT, LAST_BACKUP])
    await rm(join(config.dataDir, name), { recursive: true, force: true });
  print(`Everything in ${config.databaseUrl ? 'the database and ' : ''}${config.dataDir} was deleted.`);
}

async function dropSchema(url: string): Promise<void> {
  const db = openDatabase({ url, log });
  try {
    await dropEverything(db);
  } finally {
    await db.close();
  }
}
