import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../server/src/config.ts';
import { startEmbeddedDatabase } from '../server/src/platform/db/embedded/embedded.ts';
import { openDatabase } from '../server/src/platform/db/pool.ts';
import { CannotStart } from '../server/src/platform/errors.ts';
import { createLogger } from '../server/src/platform/log.ts';

// `npm run reset`: forgets everything that a development server has kept, so that the next start is a first one.
const log = createLogger('silent');

try {
  const config = readConfig();
  if (config.profile === 'production')
    throw new CannotStart('`npm run reset` deletes everything, so it refuses PROFILE=production.');

  if (config.databaseUrl) {
    await dropSchema(config.databaseUrl);
  } else {
    // Owning the database shows that no server runs on this data directory.
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log });
    await embedded.stop();
  }
  for (const name of ['postgres', 'mail', 'demo.json', 'master.key'])
    await rm(join(config.dataDir, name), { recursive: true, force: true });
  console.log(
    `Everything in ${config.databaseUrl ? 'the database and ' : ''}${config.dataDir} is gone. The next \`npm start\` begins anew.`,
  );
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function dropSchema(url: string): Promise<void> {
  const db = openDatabase({ url, log });
  try {
    await db.query('drop_schema', 'drop schema public cascade');
    await db.query('create_schema', 'create schema public');
  } finally {
    await db.close();
  }
}
