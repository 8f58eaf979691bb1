/**
 * Rate limits on a real Redis: several servers share exactly 100 requests a second, and Redis may be killed, frozen and
 * started again in the middle without an error and without a moment in which nothing is limited.
 *
 *     npm run program -- limits
 *
 * Needs a `redis-server` (or `valkey-server`) in the PATH, or its place in REDIS_SERVER.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { newSecretKey } from '../../../src/platform/http/admission/credentials.ts';
import { ask, findRedis, type Instance, LIMIT, startInstance, startRedis } from './servers.ts';
import { SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';

/** Repeats bursts that a busy machine could not send in time. */
const MAX_ATTEMPTS = 3;
let lateAnswers = 0;
const log = pino(
  { level: 'warn' },
  {
    write: (line: string) => {
      if (line.includes('Redis disconnected')) lateAnswers += 1;
    },
  },
);

const program = findRedis();
if (program === undefined) {
  process.stderr.write(
    '\nSKIPPED: there is no redis-server here, so nothing was shown about limits shared through Redis.\n' +
      'Install one (apt-get install redis-server) or name it: REDIS_SERVER=/path/to/redis-server\n\n',
  );
  process.exit(SKIPPED_EXIT_CODE);
}

const port = await freePort();
let redis = await startRedis(program as string, port);
const instances = await Promise.all(Array.from({ length: 4 }, () => startInstance(`redis://127.0.0.1:${port}`, log)));
const failures = new Set<string>();

for (const count of [1, 2, 4]) await shareExactly(instances.slice(0, count), 20);
await loseRedis(
  'killed',
  async () => {
    redis.kill('SIGKILL');
    await once(redis, 'exit');
  },
  async () => {
    redis = await startRedis(program as string, port);
  },
);
await loseRedis(
  'frozen',
  async () => void redis.kill('SIGSTOP'),
  async () => void redis.kill('SIGCONT'),
);
await shareExactly(instances, 5);

await Promise.all(instances.map(({ stop }) => stop()));
redis.kill('SIGKILL');
if (failures.size > 0) {
  process.stderr.write(`\nFAILED\n${[...failures].map((failure) => `  ${failure}\n`).join('')}`);
  process.exit(1);
}
process.stdout.write('\nAll held.\n');

/**
 * Bursts of 300 requests over all servers, each by a new account: 100 pass, no matter which server gets them. A busy machine cannot show
 * this in a burst that takes longer than its window, or in which Redis answers too late for a server, which then limits by itself.
 */
async function shareExactly(servers: Instance[], rounds: number): Promise<void> {
  const allowed: number[] = [];
  let slow = 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS * rounds && allowed.length < rounds; attempt += 1) {
    await waitUntilShared(servers);
    const key = newSecretKey(true);
    const lateBefore = lateAnswers;
    const startedMs = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 3 * LIMIT }, (_, index) => ask(servers[index % servers.length] as Instance, key)),
    );
    if (performance.now() - startedMs > 1_000 || lateAnswers > lateBefore) slow += 1;
    else allowed.push(statuses.filter(({ status }) => status === 200).length);
    expectAnswered(statuses);
  }
  process.stdout.write(
    `${servers.length} servers: ${allowed.length} bursts of ${3 * LIMIT}, allowed ` +
      `${Math.min(...allowed)} to ${Math.max(...allowed)}${slow > 0 ? ` (${slow} bursts too slow to tell)` : ''}\n`,
  );
  if (allowed.length === 0) failures.add(`all ${slow} bursts of ${servers.length} servers were too slow to tell`);
  if (allowed.some((count) => count !== LIMIT))
    failures.add(`${servers.length} servers allowed ${allowed.join(', ')} instead of ${LIMIT}`);
}

/** A server that counts alone shares the count again from Redis's next answer on. */
async function waitUntilShared(servers: Instance[]): Promise<void> {
  while (servers.some(({ limiter }) => limiter.isDegraded()))
    await Promise.all(servers.map((server) => ask(server, newSecretKey(true))));
}

/** Sends more than is allowed all the time, stops Redis after a second and restores it two seconds later. */
async function loseRedis(how: string, lose: () => Promise<void>, restore: () => Promise<void>): Promise<void> {
  const key = newSecretKey(true);
  const answers: { status: number; atMs: number; tookMs: number }[] = [];
  const startedMs = performance.now();
  let isOver = false;
  const load = Promise.all(
    instances.map(async (instance) => {
      while (!isOver) {
        await Promise.all(Array.from({ length: 20 }, async () => answers.push(await ask(instance, key))));
        await pause(20);
      }
    }),
  );

  await pause(1_000);
  await lose();
  const lostMs = performance.now() - startedMs;
  await pause(2_000);
  const restoredMs = performance.now() - startedMs;
  await restore();
  while (instances.some(({ limiter }) => limiter.isDegraded())) await pause(10);
  const recoveredMs = performance.now() - startedMs;
  await pause(2_500);
  isOver = true;
  await load;

  expectAnswered(answers);
  const allowed = answers.filter(({ status }) => status === 200).map(({ atMs }) => atMs - startedMs);
  const most = (fromMs: number, toMs: number) =>
    Math.max(
      0,
      ...allowed.map((at) =>
        at >= fromMs && at + 1_000 <= toMs ? allowed.filter((other) => other >= at && other < at + 1_000).length : 0,
      ),
    );
  const lost = most(lostMs, restoredMs);
  const slowestMs = Math.max(...answers.map(({ tookMs }) => tookMs));
  process.stdout.write(
    `Redis ${how}: ${answers.length} answers, none 5xx; allowed in any second while lost at most ${lost} by ${instances.length} servers; ` +
      `shared again ${Math.round(recoveredMs - restoredMs)} ms after it was back; slowest answer ${Math.round(slowestMs)} ms\n`,
  );
  // Two windows of a server can touch within any one second.
  if (lost === 0 || lost > 2 * LIMIT * instances.length)
    failures.add(`while Redis was ${how} ${lost} were allowed in a second`);
  // A busy machine may not even send more than every server may allow alone.
  const asked = lost > LIMIT * instances.length;
  const isLimited = answers.some(
    ({ status, atMs }) => status === 429 && atMs - startedMs > lostMs + 100 && atMs - startedMs < restoredMs,
  );
  if (asked && !isLimited) failures.add(`while Redis was ${how} nothing was limited`);
  if (!asked && !isLimited) process.stdout.write(`Redis ${how}: too slow to tell whether it was limited meanwhile\n`);
}

function expectAnswered(answers: { status: number }[]): void {
  const wrong = answers.filter(({ status }) => status !== 200 && status !== 429);
  if (wrong.length > 0) failures.add(`${wrong.length} answers were neither 200 nor 429, the first ${wrong[0]?.status}`);
}
