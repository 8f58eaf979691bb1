import { pino } from 'pino';
import { createCaches } from '../../../src/caches.ts';
import { readConfig } from '../../../src/config.ts';
import type { Context } from '../../../src/context.ts';
import { createOutbound } from '../../../src/outside/http/undici.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { deliveriesJob } from '../../../src/resources/webhooks/delivery/deliver.ts';
import { startWork } from '../../../src/work.ts';

// A worker that only delivers and starts quickly, for scripts that kill it.
const config = readConfig();
const log = pino({ level: config.logLevel });
const db = openDatabase({ url: config.databaseUrl ?? '', log });
const secrets = createSecrets(Buffer.alloc(32, 7));
const outbound = createOutbound({ allowPrivate: true, ownUrl: config.publicUrl });
const parts = { config, log, db, secrets, outbound, caches: createCaches() };
const work = startWork(parts as unknown as Context, [deliveriesJob()]);
process.send?.('ready');

process.once('SIGTERM', async () => {
  await work.stop();
  await outbound.close();
  await db.close();
  process.exit(0);
});
