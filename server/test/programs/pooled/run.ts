import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { ask } from '../../support/ask.ts';
import {
  findPgBouncers,
  type PgBouncerBinary,
  type RunningPgBouncer,
  startPgBouncer,
} from '../../support/pgbouncer.ts';
import { buildPgBouncer } from './build.ts';
import { SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';

/**
 * The tests of the API through PgBouncer in transaction mode, 1.21 or newer. Every statement of the service goes through
 * the pooler; migrations, LISTEN and what the tests do beside the service do not:
 *
 *     npm run program -- pooled                                     all of server/test/api
 *     npm run program -- pooled server/test/api/claims               some of them, or other options of vitest
 *
 * Uses the PgBouncer of the environment's PGBOUNCER or of the system, and builds one on a Debian that has an older one.
 * DATABASE_URL names a PostgreSQL; without it, an embedded one is started.
 */
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const POOLER_TESTS = 'server/test/journeys/database/poolers.test.ts';
/** Below the number of connections that each test file's service opens, so that its transactions share them. */
const SERVER_CONNECTIONS = 6;
const SETTINGS = [
  'max_prepared_statements = 200',
  `default_pool_size = ${SERVER_CONNECTIONS}`,
  'max_client_conn = 2000',
  'query_wait_timeout = 60',
  'stats_users = quittance_stats',
];

const binary = await findNewest();
if (!binary) process.exit(SKIPPED_EXIT_CODE);
process.exitCode = await runTests(binary);

/** One that tracks prepared statements; it is built if it is missing. */
async function findNewest(): Promise<PgBouncerBinary | undefined> {
  const find = () => findPgBouncers().find(({ tracksStatements }) => tracksStatements);
  const found = find();
  if (found) return found;
  const older = findPgBouncers().map(({ version }) => version);
  process.stderr.write(`PgBouncer here: ${older.join(', ') || 'none'}. Building a newer one.\n`);
  try {
    buildPgBouncer();
  } catch (error) {
    process.stderr.write(
      `\nSKIPPED: there is no PgBouncer 1.21 or newer, so nothing was shown about pooling by ` +
        `transaction.\n${(error as Error).message}\nInstall one, or name it: PGBOUNCER=/path/to/pgbouncer\n\n`,
    );
    return undefined;
  }
  return find();
}

async function runTests({ file, version }: PgBouncerBinary): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const serverUrl = process.env.DATABASE_URL ?? (await startDatabase(stack));
  const pooler = await startPgBouncer(serverUrl, { file, settings: SETTINGS });
  stack.defer(() => pooler.stop());
  process.stdout.write(`PgBouncer ${version}, ${SETTINGS.slice(0, 2).join(', ')}\n`);

  const given = process.argv.slice(2);
  const files = given.some((argument) => !argument.startsWith('-'))
    ? given
    : ['server/test/api', POOLER_TESTS, ...given];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', '!e2e', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: serverUrl, TEST_POOLER: pooler.host, PGBOUNCER: file },
  });
  const [code] = await once(child, 'exit');
  const { transactions, queries } = await countPooled(pooler, serverUrl);
  process.stdout.write(`through the pooler: ${transactions} transactions, ${queries} statements\n`);
  // Tests that bypass the pooler would show nothing.
  return code === 0 && transactions === 0 ? 1 : (code ?? 1);
}

/** Not durable, like the one of the tests. */
async function startDatabase(stack: AsyncDisposableStack): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-pooled-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' };
  const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'silent' }), settings });
  stack.defer(() => database.stop());
  return database.url;
}

/** What the pooler itself counted. */
async function countPooled(
  pooler: RunningPgBouncer,
  serverUrl: string,
): Promise<{ transactions: number; queries: number }> {
  const console = Object.assign(new URL(serverUrl), { host: pooler.host, username: 'quittance_stats', password: '' });
  console.pathname = '/pgbouncer';
  const rows = await ask<Record<string, string>>(console.href, 'show stats_totals');
  const sum = (column: string) =>
    rows.filter(({ database }) => database !== 'pgbouncer').reduce((total, row) => total + Number(row[column]), 0);
  return { transactions: sum('xact_count'), queries: sum('query_count') };
}
