import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { bundleService } from '../../support/service-bundle.ts';
import { ethereumGround } from './ethereum-ground.ts';
import { solanaGround } from './solana-ground.ts';
import { killWatchers } from './watchers-killed.ts';

/**
 * Kills the worker at random moments while payments arrive on local chains, two of the Ethereum family or Solana, and
 * judges what has become of each.
 *
 *   npm run program -- chaos-watcher --kills 200 --payments 1000 [--solana] [--seed 1]
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    payments: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    solana: { type: 'boolean', default: false },
  },
});

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-kill-watcher-'));
const log = pino({ level: 'silent' });
const database = await startEmbeddedDatabase({ dataDir, log });
try {
  await migrate({ url: database.url, log, strict: false });
  const figures = await killWatchers({
    ground: values.solana ? solanaGround : ethereumGround,
    databaseUrl: database.url,
    dataDir,
    service: (await bundleService(join(dataDir, 'service'))).main,
    kills: Number(values.kills),
    payments: Number(values.payments),
    seed: Number(values.seed),
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  console.log(JSON.stringify({ ...figures, seed: Number(values.seed) }, null, 2));
  if (
    figures.paidOnce < figures.payments ||
    figures.transfersWrong + figures.transfersInvented + figures.webhooksWrong > 0
  )
    process.exitCode = 1;
} finally {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}
