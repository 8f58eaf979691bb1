import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { findRunningDatabase, startEmbeddedDatabase } from '../platform/db/embedded/embedded.ts';
import { migrate, planMigrations } from '../platform/db/migrate.ts';
import { createLogger } from '../platform/log.ts';
import { print } from './print.ts';

/**
 * `quittance-server migrate`: brings the schema up to date without starting the service. Every start does the same;
 * this is for operators who want it done before, by a database user that may change tables.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { plan: { type: 'boolean', default: false } } });
  const config = readConfig();
  const log = createLogger('warn');
  const running = config.databaseUrl ? undefined : await findRunningDatabase(config.dataDir);
  const embedded =
    config.databaseUrl || running ? undefined : await startEmbeddedDatabase({ dataDir: config.dataDir, log });
  try {
    const url = config.databaseDirectUrl ?? config.databaseUrl ?? running ?? embedded?.url ?? '';
    const names = values.plan
      ? await planMigrations(url)
      : await migrate({ url, log, strict: config.profile === 'production' });
    if (names.length === 0) print('The schema is up to date.');
    else print(`${values.plan ? 'Would apply' : 'Applied'} ${names.join(', ')}.`);
  } finally {
    await embedded?.stop();
  }
}
