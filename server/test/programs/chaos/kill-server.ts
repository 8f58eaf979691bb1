import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { randomFrom } from '../../support/random.ts';
import { bundleService } from '../../support/service-bundle.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { QUIET } from '../../support/settings.ts';
import { isWrong, KeyedWriters } from './keyed-writers.ts';

/**
 * Kills the service at random moments while clients create sessions with keys and repeat unanswered requests. The
 * clients' own records are the oracle: every acknowledged session must exist, unchanged, once. `npm run program --
 * chaos-kill --kills 1000 [--clients 8] [--seed 1]`
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});
const wanted = Number(values.kills);
const random = randomFrom(Number(values.seed));
/** Maximum time between a request and the kill. */
const MAX_KILL_DELAY_MS = 300;

const dataDir = await mkdtemp(join(tmpdir(), 'quittance-kill-'));
const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'silent' }) });
const port = await freePort();
const { main } = await bundleService(join(dataDir, 'service'));
const url = `http://127.0.0.1:${port}`;
const started = performance.now();

let kills = 0;
let hurry: (() => void) | undefined;
/** Clients wait for the server to be back. */
let up = Promise.resolve();

try {
  let server = await startServer();
  const testKey = await readTestKey();
  const writers = new KeyedWriters({
    urlOf: () => url,
    key: testKey,
    onSend: () => hurry?.(),
    untilUp: () => up,
  });
  writers.start(Number(values.clients));

  // A stop request ends the run and judges what there is.
  let isEnough = false;
  process.once('SIGINT', () => {
    isEnough = true;
  });
  while (kills < wanted && !isEnough) {
    await new Promise<void>((resolve) => {
      hurry = resolve;
    });
    await pause(random() * MAX_KILL_DELAY_MS);
    let isUp: () => void = () => {};
    up = new Promise((resolve) => {
      isUp = resolve;
    });
    await server.end('SIGKILL');
    kills++;
    if (kills % 50 === 0)
      process.stderr.write(
        `${kills} kills, ${writers.acknowledged.size} acknowledged, ${Math.round((performance.now() - started) / 1000)} s\n`,
      );
    server = await startServer();
    isUp();
  }
  await writers.stop();
  await report(writers);
  await server.end('SIGTERM');
} finally {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function report(writers: KeyedWriters): Promise<void> {
  const verdict = await writers.judge(database.url);
  const seconds = Math.round((performance.now() - started) / 1000);
  const run = { kills, ...writers.figures, seed: Number(values.seed), clients: Number(values.clients), seconds };
  console.log(JSON.stringify({ ...run, ...verdict }, null, 2));
  if (isWrong(verdict)) process.exitCode = 1;
}

/** The demo account is created right after the server starts to listen. */
async function readTestKey(): Promise<string> {
  for (;;) {
    const text = await readFile(join(dataDir, 'demo.json'), 'utf8').catch(() => undefined);
    if (text) return (JSON.parse(text) as { testKey: string }).testKey;
    await pause(20);
  }
}

function startServer(): Promise<ServiceProcess> {
  return startServiceProcess(main, {
    ...QUIET,
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    // Compiled code is cached between starts, so that most of the time goes into serving.
    NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
  });
}
