import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { startReceiver } from '../../support/receiver.ts';
import { QUIET } from '../../support/settings.ts';
import { ethereumGround } from '../chaos/ethereum-ground.ts';
import { startLiveShop } from './live.ts';
import { type Figures, type ReleaseName, runClient, type Target } from './load.ts';
import { type ReleaseProcess, startRelease } from './process.ts';
import { checkOut, commitBeforeNewestMigration } from './release.ts';

/**
 * Upgrades a service under load: the previous release serves, this one starts beside it and migrates their database, the previous one
 * starts once more on the new schema, and both serve. Customers pay in test mode and, in live mode, on two local chains, which each release
 * reads for half of the time while the other stands by. Exits with 1 where either answered or logged an error, a payment is not paid, or
 * a webhook did not arrive.
 *
 *     npm run program -- side-by-side                              20 seconds, against the commit before the newest migration
 *     npm run program -- side-by-side --minutes 5 --previous v0.1.0
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string' }, previous: { type: 'string' }, clients: { type: 'string', default: '4' } },
});
const LOAD_MS = values.minutes === undefined ? 20_000 : Number(values.minutes) * 60_000;
const WEBHOOK_TIMEOUT_MS = 60_000;
const MAX_LISTED_ERRORS = 20;

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const commit = values.previous ?? (await commitBeforeNewestMigration(root));
const folder = await mkdtemp(join(tmpdir(), 'quittance-side-by-side-'));
const say = (line: string) => void process.stderr.write(`${line}\n`);
const none = (): Figures => ({ requests: 0, payments: 0, errors: [], unpaid: [], paid: [] });
const figures = { previous: none(), new: none() };

await using stack = new AsyncDisposableStack();
stack.defer(() => rm(folder, { recursive: true, force: true }));
say(`checking out and building ${commit}`);
const previousFolder = join(folder, 'previous');
await checkOut(root, commit, previousFolder);
const dataDir = join(folder, 'data');
const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'silent' }) });
stack.defer(() => database.stop());
const receiver = await startReceiver();
stack.defer(() => receiver.close());
const ground = stack.use(await ethereumGround(Math.random));

const env = {
  ...QUIET,
  DATA_DIR: dataDir,
  DATABASE_URL: database.url,
  MASTER_KEY: randomBytes(32).toString('hex'),
  LOG_LEVEL: 'error',
  TRUSTED_PROXIES: '127.0.0.1',
  ...ground.env,
};
const everStarted: ReleaseProcess<ReleaseName>[] = [];
async function start(name: ReleaseName): Promise<ReleaseProcess<ReleaseName>> {
  const release = await startRelease(name, name === 'new' ? root : previousFolder, env);
  everStarted.push(release);
  stack.defer(() => release.stop());
  return release;
}

let previous = await start('previous');
const key = await readTestKey();
await registerEndpoint();
let serving: readonly ReleaseProcess<ReleaseName>[] = [previous];
let isOver = false;
const target: Target = { releases: () => serving, figures, isOver: () => isOver };
const live = stack.use(await startLiveShop(database.url, ground));
await live.open(target, receiver.url);
const clients = [
  ...Array.from({ length: Number(values.clients) }, () => runClient(target, key)),
  // The previous release reads the chains from now on.
  live.run(target),
];
say('the previous release serves and reads; the new one starts and migrates');
await live.allRead('new');
const newer = await start('new');
serving = [previous, newer];
say(`both serve for ${LOAD_MS / 2_000} seconds, and the previous one reads`);
await pause(LOAD_MS / 2);
serving = [newer];
say('the previous release starts again on the new schema');
// Earlier requests are answered first.
await pause(1_000);
await previous.stop();
previous = await start('previous');
serving = [previous, newer];
say(`both serve for ${LOAD_MS / 2_000} seconds, and the new one reads`);
await pause(LOAD_MS / 2);
isOver = true;
await Promise.all(clients);

const undelivered = await findUndelivered();
const logged = everStarted.flatMap(({ name, errors }) => errors.map((line) => `${name}: ${line}`));
const failures = Object.entries({ ...figures, live: { errors: [], ...live.figures } }).flatMap(
  ([name, { errors, unpaid }]) => [...errors, ...unpaid].map((line) => `${name}: ${line}`),
);
console.log(
  JSON.stringify(
    {
      previous_commit: commit,
      seconds: LOAD_MS / 1_000,
      ...Object.fromEntries(Object.entries(figures).map(([name, one]) => [name, summaryOf(name, one)])),
      live: {
        payments: live.figures.payments,
        payments_unpaid: live.figures.unpaid.length,
        paid_while_read_by: live.figures.read,
      },
      webhooks_received: receiver.received.length,
      payments_without_webhook: undelivered.length,
    },
    null,
    2,
  ),
);
for (const line of [...failures, ...logged, ...undelivered].slice(0, MAX_LISTED_ERRORS))
  console.error(`FAILED: ${line}`);
const isIdle = [
  ...Object.values(figures).map(({ payments }) => payments),
  ...Object.values(live.figures.read),
].includes(0);
if (isIdle) console.error('FAILED: a release was sent no payment, or none was paid while it read the chains');
if (isIdle || failures.length + logged.length + undelivered.length > 0) process.exitCode = 1;

function summaryOf(name: string, { requests, payments, errors, unpaid }: Figures) {
  const errorsLogged = everStarted.filter((one) => one.name === name).flatMap((one) => one.errors).length;
  return { requests, errors: errors.length, errors_logged: errorsLogged, payments, payments_unpaid: unpaid.length };
}

/** The demo account is created right after the service listens. */
async function readTestKey(): Promise<string> {
  for (;;) {
    const text = await readFile(join(dataDir, 'demo.json'), 'utf8').catch(() => undefined);
    if (text) return (JSON.parse(text) as { testKey: string }).testKey;
    await pause(50);
  }
}

async function registerEndpoint(): Promise<void> {
  const response = await fetch(`${previous.url}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['payment.paid'] }),
  });
  if (!response.ok) throw new Error(`the endpoint was not registered: ${await response.text()}`);
}

/** Paid payments whose event has not arrived in time. */
async function findUndelivered(): Promise<string[]> {
  const paid = [...Object.values(figures), live.figures].flatMap((one) => one.paid);
  const endAt = performance.now() + WEBHOOK_TIMEOUT_MS;
  for (;;) {
    const reported = new Set(receiver.received.map(({ event }) => event?.data?.id));
    const missing = paid.filter((payment) => !reported.has(payment));
    if (missing.length === 0 || performance.now() > endAt)
      return missing.map((payment) => `${payment}: payment.paid did not arrive`);
    await pause(200);
  }
}
