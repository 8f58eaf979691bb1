import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { QUIET } from '../../support/settings.ts';
import { fuzz, type Result } from './run.ts';
import { createWorld } from './world.ts';

// Sends requests generated from the OpenAPI document to a new service: `npm run program -- fuzz --requests 10000 --seed
// 1 --work --verbose`.
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    // With the worker: deliveries, expiry and other jobs run during the requests.
    work: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
if (!Number.isSafeInteger(requests) || !Number.isSafeInteger(seed))
  throw new Error('--requests and --seed are whole numbers');

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-fuzz-'));
const config = readConfig({
  ...QUIET,
  PROFILE: 'development',
  PORT: '0',
  DATA_DIR: dataDir,
  DATABASE_URL: process.env.DATABASE_URL,
  RATE_LIMIT_PER_SECOND: '1000000',
});
// The causes of internal errors are logged.
const log = pino({ level: values.verbose ? 'warn' : 'silent' }, pino.destination(2));
const app = await createApp(config, { log });
let result: Result | undefined;
try {
  const url = await app.open({ work: values.work });
  const { world, close } = await createWorld(app.ctx, url);
  const startedAtMs = performance.now();
  result = await fuzz(url, world, {
    requests,
    seed,
    onProgress: (done) => process.stderr.write(`\r${done} of ${requests}`),
  });
  process.stderr.write(
    `\r${requests} requests in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s, seed ${seed}\n`,
  );
  await close();
} finally {
  await app.close();
  await rm(dataDir, { recursive: true, force: true });
}
report(result);
process.exitCode = result.findings.length > 0 ? 1 : 0;

function report({ statuses, findings }: Result): void {
  console.log(
    [...statuses]
      .sort(([one], [other]) => one - other)
      .map(([status, times]) => `${status}: ${times}`)
      .join('   '),
  );
  for (const { what, operationId, status, times, example } of findings) {
    console.log(`\n${operationId} ${status}: ${what} (${times} times)`);
    console.log(`  ${example.method} ${example.path}`);
    console.log(`  ${JSON.stringify({ ...example.headers, authorization: example.headers.authorization && '…' })}`);
    if (example.body !== null) console.log(`  ${example.body}`);
    if (example.done.length > 0) console.log(`  because ${example.done.join('; ')}`);
    console.log(`  answered ${example.answer}`);
  }
  console.log(findings.length === 0 ? 'Nothing was answered wrongly.' : `\n${findings.length} kinds of wrong answers.`);
}
