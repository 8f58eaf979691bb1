import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { refuseSharedSessions, refuseUnfitPooler } from '../../../src/platform/db/pooler.ts';
import { createTestDatabase } from '../../support/index.ts';
import { findPgBouncers, startPgBouncer } from '../../support/pgbouncer.ts';

// Debian 12 has 1.18, which has no setting for prepared statements; `npm run program -- pooled` builds a newer one.
const installed = findPgBouncers();
let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

test('a direct connection does not count as a pooler', async () => {
  const database = await createTestDatabase();
  stack.defer(() => database.drop());
  await refuseUnfitPooler(database.url);
  await refuseSharedSessions(database.url);
});

// Skipped without PgBouncer, which `.ci/run` installs.
test.skipIf(installed.length === 0)(
  'a pooler that loses prepared statements is refused, and one that keeps them is not',
  async () => {
    const database = await createTestDatabase();
    stack.defer(() => database.drop());
    for (const { file, tracksStatements } of installed) {
      const through = async (setting: string) => {
        const pooler = await startPgBouncer(database.url, { file, settings: [setting] });
        stack.defer(() => pooler.stop());
        return pooler.url;
      };
      const losing = await through(tracksStatements ? 'max_prepared_statements = 0' : '');
      await expect(refuseUnfitPooler(losing)).rejects.toThrow(
        /^DATABASE_URL leads through a pooler that loses prepared statements \((42P05|26000)\)\. With PgBouncer, use 1\.21 or newer/,
      );
      await refuseUnfitPooler(await through('pool_mode = session'));
      if (tracksStatements) await refuseUnfitPooler(await through('max_prepared_statements = 200'));
    }
  },
);

test.skipIf(installed.length === 0)(
  'migrations through a pooler by transaction are refused, and through one by session they are not',
  async () => {
    const database = await createTestDatabase();
    stack.defer(() => database.drop());
    for (const { file } of installed) {
      const through = async (mode: string) => {
        const pooler = await startPgBouncer(database.url, { file, settings: [`pool_mode = ${mode}`] });
        stack.defer(() => pooler.stop());
        return migrate({ url: pooler.url, log: pino({ level: 'silent' }), strict: true });
      };
      await expect(through('transaction')).rejects.toThrow(
        /^Migrations and LISTEN need a connection of their own, and this address pools by transaction\. Set DATABASE_DIRECT_URL/,
      );
      expect(await through('session')).toEqual([]);
    }
  },
);
