import { readConfig } from '../server/src/config.ts';
import { startEmbeddedDatabase } from '../server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { CannotStart } from '../server/src/platform/errors.ts';
import { createLogger } from '../server/src/platform/log.ts';

// `npm run migrate`: brings the schema up to date without starting the service. Every start does the same by itself;
// this is for those who want it done before, by a user of the database that may change tables.
try {
  const config = readConfig();
  const log = createLogger('warn');
  const embedded = config.databaseUrl ? undefined : await startEmbeddedDatabase({ dataDir: config.dataDir, log });
  try {
    const url = config.databaseDirectUrl ?? embedded?.url ?? '';
    const applied = await migrate({ url, log, strict: config.profile === 'production' });
    console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await embedded?.stop();
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
