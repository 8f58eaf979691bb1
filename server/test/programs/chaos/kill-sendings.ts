import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { bundleService } from '../../support/service-bundle.ts';
import { killDuringPayouts } from './payouts-killed.ts';
import { killDuringRefunds } from './refunds-killed.ts';

/**
 * Kills the service between the signature and the record of refunds, or of payouts, on a local chain.
 *
 *   npm run program -- chaos-refunds --kills 200 [--seed 1]
 *   npm run program -- chaos-payouts --kills 200 [--seed 1]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-kill-sendings-'));
const log = pino({ level: 'silent' });
const database = await startEmbeddedDatabase({ dataDir, log });
try {
  await migrate({ url: database.url, log, strict: false });
  const kill = positionals[0] === 'payouts' ? killDuringPayouts : killDuringRefunds;
  const figures = await kill({
    databaseUrl: database.url,
    dataDir,
    service: (await bundleService(join(dataDir, 'service'))).main,
    kills: Number(values.kills),
    seed: Number(values.seed),
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  console.log(JSON.stringify({ ...figures, seed: Number(values.seed) }, null, 2));
  if (figures.signed !== figures.toSign || figures.wrong.length + figures.wrongSums > 0) process.exitCode = 1;
} finally {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}
