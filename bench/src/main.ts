import { constants } from 'node:os';
import { catchUp } from './catch-up.ts';
import { createSession } from './create-session.ts';
import { openBenchDatabase } from './database.ts';
import { listPage } from './list-page.ts';
import { start, stop, stopAll } from './processes.ts';
import { readSession } from './read-session.ts';
import type { Service } from './service.ts';
import { watchBlock } from './watch-block.ts';
import { watchWays } from './watch-ways.ts';
import { webhookDelivery } from './webhook-delivery.ts';
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

// `npm run bench [-- --json] [-- --seconds=5] [-- read-session …]`: each path compared with its floor, measured in the
// same run.
const options = process.argv.slice(2);
const isJson = options.includes('--json');
const seconds = Number(options.find((option) => option.startsWith('--seconds='))?.split('=')[1] ?? 8);
const wanted = options.filter((option) => !option.startsWith('--'));
const say = (line: string) => void process.stdout.write(`${line}\n`);

// An interrupted run leaves no process, database or file behind. A terminal and the launcher may both signal it.
const interrupted = Promise.withResolvers<NodeJS.Signals>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted.resolve);
const database = await openBenchDatabase();
const end = await Promise.race([measureAll(), interrupted.promise]).catch((error: Error) => error);
if (end instanceof Error) console.error(end);
// The measurements that are cut off fail now, each in its own way.
process.on('uncaughtException', () => {});
await stopAll();
await database.drop();
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
    for (const [name, measure] of Object.entries(BENCHES)) {
      if (wanted.length === 0 || wanted.includes(name))
        Object.assign(figures, await measure({ database, service, seconds, say }));
    }
    if (isJson) say(JSON.stringify(figures));
  } finally {
    await stop(child);
  }
}
