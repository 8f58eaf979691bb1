import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, serve } from '../../support/listen.ts';
import { addEndpoints, openQueueDatabase, type QueueEndpoint, recordFor } from './queue.ts';

// Measures how long healthy endpoints wait for first attempts, alone and beside endpoints that accept and say nothing:
//   npm run program -- webhooks-fairness [--silent=200] [--events=50] [--healthy=10] [--rounds=100]
const option = (name: string, value: number) =>
  Number(process.argv.find((text) => text.startsWith(`--${name}=`))?.split('=')[1] ?? value);
const SILENT = option('silent', 200);
const EVENTS_PER_SILENT = option('events', 50);
const HEALTHY = option('healthy', 10);
const ROUNDS = option('rounds', 100);
const ROUND_MS = 50;

const arrivals = new Map<string, number>();
const healthy = await serve((request, response) => {
  const chunks: Buffer[] = [];
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id: string };
      if (!arrivals.has(id)) arrivals.set(id, performance.now());
      response.end();
    });
});
const held = new Set<Socket>();
const silentServer = createServer((socket) => {
  held.add(socket);
  socket
    .on('error', () => {})
    .on('close', () => held.delete(socket))
    .resume();
});
const silent = await listen(silentServer);

const alone = await measure(false);
const beside = await measure(true);
const ledger = {
  healthy_endpoints: HEALTHY,
  silent_endpoints: SILENT,
  events_per_silent_endpoint: EVENTS_PER_SILENT,
  events_per_healthy_endpoint: ROUNDS,
  alone_ms: alone.delays,
  beside_ms: beside.delays,
  most_sockets_held: beside.mostHeld,
  ratio_p50: ratio(beside.delays.p50, alone.delays.p50),
  ratio_p99: ratio(beside.delays.p99, alone.delays.p99),
};
console.log(JSON.stringify(ledger));
await healthy.stop();
silentServer.close();
process.exitCode = beside.delays.p99 < 1_000 ? 0 : 1;

/**
 * The delays of the healthy endpoints' first attempts, from the record of the event to its arrival. The neighbors start
 * first.
 */
async function measure(withNeighbors: boolean) {
  const database = await openQueueDatabase();
  const good = await addEndpoints(database.db, HEALTHY, 5, () => `${healthy.url}/`);
  const bad = withNeighbors ? await addEndpoints(database.db, SILENT, 10, (index) => `${silent.url}/${index}`) : [];
  const worker = await startWorker(database.url);
  let mostHeld = 0;

  const recordedAt = new Map<string, number>();
  const record = async (endpoints: QueueEndpoint[]) => {
    const startedAt = performance.now();
    for (const id of await recordFor(database.db, endpoints)) recordedAt.set(id, startedAt);
  };
  for (let event = 0; event < EVENTS_PER_SILENT && bad.length > 0; event += 1) await recordFor(database.db, bad);
  for (let round = 0; round < ROUNDS; round += 1) {
    await record(good);
    await pause(ROUND_MS);
    mostHeld = Math.max(mostHeld, held.size);
  }
  while ([...recordedAt.keys()].some((id) => !arrivals.has(id))) await pause(20);

  worker.kill('SIGKILL');
  await once(worker, 'exit');
  for (const socket of held) socket.destroy();
  await database.drop();
  const delays = [...recordedAt]
    .map(([id, startedAt]) => (arrivals.get(id) ?? Number.NaN) - startedAt)
    .sort((one, other) => one - other);
  const at = (share: number) => Math.round((delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN) * 10) / 10;
  return { delays: { p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) }, mostHeld };
}

async function startWorker(url: string): Promise<ChildProcess> {
  const worker = fork(new URL('./worker-process.ts', import.meta.url), {
    env: { ...process.env, DATABASE_URL: url, LOG_LEVEL: 'error', ROLE: 'worker', PROFILE: 'development' },
  });
  await once(worker, 'message');
  return worker;
}

function ratio(one: number, other: number): number {
  return Math.round((one / other) * 100) / 100;
}
