import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { bundleService } from '../../support/service-bundle.ts';
import { killDuringRefunds } from './refunds-killed.ts';

/**
 * Kills the service between the signature and the record of refunds on a local chain.
 *
 *   npm run program -- chaos-refunds --kills 200 [--seed 1]
 */
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-kill-refunds-'));
const log = pino({ level: 'silent' });
const database = await startEmbeddedDatabase({ dataDir, log });
try {
  await migrate({ url: database.url, log, strict: false });
  const figures = await killDuringRefunds({
    databaseUrl: database.url,
    dataDir,
    service: (await bundleService(join(dataDir, 'service'))).main,
    kills: Number(values.kills),
    seed: Number(values.seed),
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  console.log(JSON.stringify({ ...figures, seed: Number(values.seed) }, null, 2));
  if (figures.signed !== figures.refunds || figures.wrong.length + figures.wrongSums > 0) process.exitCode = 1;
} finally {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}
