import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { serve } from '../../support/listen.ts';
import { addEndpoints, openQueueDatabase, type QueueEndpoint, recordFor } from './queue.ts';

// Kills workers at random moments while they deliver, and counts what was lost and what came twice:
//   npm run program -- webhooks-kill [--events=5000] [--kills=200] [--workers=2]
const option = (name: string, value: number) =>
  Number(process.argv.find((text) => text.startsWith(`--${name}=`))?.split('=')[1] ?? value);
const EVENTS = option('events', 5_000);
const KILLS = option('kills', 200);
const WORKERS = option('workers', 2);
const ENDPOINTS = 40;
const ENDPOINTS_PER_ACCOUNT = 4;
const MAX_ANSWER_MS = 40;
const MAX_KILL_AFTER_MS = 500;
/** Slightly longer than the last lease of a killed worker. */
const DELIVERY_TIMEOUT_MS = 120_000;

const startedAt = performance.now();
const database = await openQueueDatabase();
const { db } = database;
const received = new Map<string, { times: number; body: string }>();
const count = { requests: 0, badSignatures: 0, changedBodies: 0, kills: 0 };
/** How often a worker was killed that had leased this event's delivery: each time it may arrive once more. */
const leasedWhenKilled = new Map<string, number>();

const receiver = await serve((request, response) => {
  const chunks: Buffer[] = [];
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      note(endpoints[Number(request.url?.slice(1))] as QueueEndpoint, body, request.headers as Record<string, string>);
      setTimeout(() => response.end(), Math.random() * MAX_ANSWER_MS);
    });
});
const endpoints = await addEndpoints(db, ENDPOINTS, ENDPOINTS_PER_ACCOUNT, (index) => `${receiver.url}/${index}`);

const recorded = new Set<string>();
const recording = recordAll();
await Promise.all(
  Array.from({ length: WORKERS }, (_, index) =>
    killAgainAndAgain(Math.floor(KILLS / WORKERS) + (index < KILLS % WORKERS ? 1 : 0)),
  ),
);
await recording;

const survivors = await Promise.all(Array.from({ length: WORKERS }, startWorker));
const waitingSince = performance.now();
while ((await left()) > 0 && performance.now() - waitingSince < DELIVERY_TIMEOUT_MS) await pause(250);
const unfinished = await left();
await Promise.all(
  survivors.map(async (worker) => {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  }),
);

const [attempts] = await db.query<{ most: number; rows: bigint }>(
  'count_attempts',
  `select max(attempts) as most, count(*) as rows from deliveries`,
);
const lost = [...recorded].filter((id) => !received.has(id));
const duplicates = count.requests - received.size;
const unexplained = [...received].filter(([id, { times }]) => times - 1 > (leasedWhenKilled.get(id) ?? 0)).length;
const ledger = {
  events: recorded.size,
  workers: WORKERS,
  kills: count.kills,
  seconds: Math.round((performance.now() - startedAt) / 1000),
  lost: lost.length,
  unfinished,
  duplicates,
  duplicates_unexplained: unexplained,
  most_attempts_counted: attempts?.most,
  bad_signatures: count.badSignatures,
  changed_bodies: count.changedBodies,
};
console.log(JSON.stringify(ledger));
await receiver.stop();
await database.drop();
process.exitCode =
  lost.length + unfinished + unexplained + count.badSignatures + count.changedBodies > 0 || attempts?.most !== 1
    ? 1
    : 0;

/** Records events all the time, so that there is always a delivery in flight. */
async function recordAll(): Promise<void> {
  while (recorded.size < EVENTS) {
    const share = count.kills / KILLS;
    if (recorded.size > EVENTS * Math.min(1, share + 0.05)) {
      await pause(10);
      continue;
    }
    for (const id of await recordFor(db, endpoints.slice(0, Math.min(ENDPOINTS, EVENTS - recorded.size))))
      recorded.add(id);
  }
}

async function killAgainAndAgain(times: number): Promise<void> {
  for (let killed = 0; killed < times; killed += 1) {
    const worker = await startWorker();
    await pause(Math.random() * MAX_KILL_AFTER_MS);
    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    await gone;
    count.kills += 1;
    // Sent and unrecorded deliveries are still leased: only these can arrive twice.
    const leased = await db.query<{ eventId: string }>(
      'leased',
      `
      select event_id from deliveries where id in (select delivery_id from delivery_leases where holder like $1)`,
      [`${worker.pid}-%`],
    );
    for (const { eventId } of leased) leasedWhenKilled.set(eventId, (leasedWhenKilled.get(eventId) ?? 0) + 1);
  }
}

async function startWorker(): Promise<ChildProcess> {
  const worker = fork(new URL('./worker-process.ts', import.meta.url), {
    env: { ...process.env, DATABASE_URL: database.url, LOG_LEVEL: 'error', ROLE: 'worker', PROFILE: 'development' },
  });
  await once(worker, 'message');
  return worker;
}

async function left(): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    'count_left',
    `select count(*) as count from deliveries where state = 'pending'`,
  );
  return Number(row?.count ?? 0);
}

function note(endpoint: QueueEndpoint, body: string, headers: Record<string, string>): void {
  count.requests += 1;
  try {
    new Webhook(endpoint.secret).verify(body, headers);
  } catch {
    count.badSignatures += 1;
  }
  const { id } = JSON.parse(body) as { id: string };
  const before = received.get(id);
  if (before && before.body !== body) count.changedBodies += 1;
  received.set(id, { times: (before?.times ?? 0) + 1, body });
}
