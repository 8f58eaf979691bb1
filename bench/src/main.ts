import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { catchUp } from './catch-up.ts';
import { createSession } from './create-session.ts';
import { openBenchDatabase } from './database.ts';
import { listPage } from './list-page.ts';
import { start, stop, stopAll } from './processes.ts';
import { readSession } from './read-session.ts';
import { rpcCost } from './rpc-cost.ts';
import type { Service } from './service.ts';
import { tenMillion } from './ten-million.ts';
import { watchBlock } from './watch-block.ts';
import { watchWays } from './watch-ways.ts';
import { webhookDelivery } from './webhook-delivery.ts';
import { webhookQueues } from './webhook-queues.ts';
import { wholeService } from './whole-service.ts';

const BENCHES = {
  'create-session': createSession,
  'read-session': readSession,
  'list-page': listPage,
  'webhook-delivery': webhookDelivery,
  'watch-block': watchBlock,
  'watch-ways': watchWays,
  'catch-up': catchUp,
  'whole-service': wholeService,
};
/** Those that take minutes or an hour run only by name. */
const LONG = { 'rpc-cost': rpcCost, 'ten-million': tenMillion, 'webhook-queues': webhookQueues };

// `npm run bench [-- --json] [-- --seconds=5] [-- read-session …]`: each path compared with its floor, measured in the
// same run. `npm run bench -- ten-million [--rows=200000]` compares an account of that size with one of ten thousand, and
// `-- rpc-cost [--open=1,100,2000]` prints what providers bill with that many open sessions, and
// `-- webhook-queues [--rounds=5] [--deliveries=60000] [--minutes=10]` compares the queue with published ones.
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '8' },
    rows: { type: 'string', default: '10000000' },
    minutes: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    deliveries: { type: 'string', default: '60000' },
    open: { type: 'string', default: '1,100' },
  },
});
const unknown = wanted.filter((name) => !(name in { ...BENCHES, ...LONG }));
if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(', ')}`);
const sizes = {
  seconds: Number(values.seconds),
  rows: Number(values.rows),
  minutes: Number(values.minutes),
  rounds: Number(values.rounds),
  deliveries: Number(values.deliveries),
};
const open = values.open.split(',').map(Number);
const say = (line: string) => void process.stdout.write(`${line}\n`);

// An interrupted run leaves no process, database or file behind. A terminal and the launcher may both signal it.
const interrupted = Promise.withResolvers<NodeJS.Signals>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted.resolve);
const database = await openBenchDatabase();
const end = await Promise.race([measureAll(), interrupted.promise]).catch((error: Error) => error);
if (end instanceof Error) console.error(end);
// The measurements that are cut off fail now, each in its own way.
process.on('uncaughtException', () => {});
try {
  await stopAll();
  await database.drop();
} catch (error) {
  console.error(error);
  process.exit(1);
}
process.exit(exitCodeOf(end));

function exitCodeOf(end: Error | NodeJS.Signals | undefined): number {
  if (end === undefined) return 0;
  return end instanceof Error ? 1 : 128 + constants.signals[end];
}

async function measureAll(): Promise<undefined> {
  const { child, first: service } = await start<Service>('./service.ts', {
    DATABASE_URL: database.url,
    DATA_DIR: database.dataDir,
    ROLE: 'api',
    PORT: '0',
    PROFILE: 'development',
    LOG_LEVEL: 'warn',
    PRICES: 'fixed',
    ROUTES: 'none',
    RATE_LIMIT_PER_SECOND: '1000000000',
  });
  try {
    const figures: Record<string, unknown> = {};
    const asked = Object.entries({ ...BENCHES, ...LONG }).filter(([name]) => wanted.includes(name));
    for (const [, measure] of wanted.length > 0 ? asked : Object.entries(BENCHES))
      Object.assign(figures, await measure({ database, service, ...sizes, open, say }));
    if (values.json) say(JSON.stringify(figures));
  } finally {
    await stop(child);
  }
}
