import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { HOUR_MS, later } from '../../../src/platform/time.ts';
import { prune } from '../../../src/retention/prune.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a quote is deleted 24 hours after it expired, however many there are', async () => {
  const now = await app.ctx.db.now();
  const insert = (count: number, expiresAt: Date) =>
    app.ctx.db.query(
      'test_quotes',
      `
    insert into quotes (id, account_id, livemode, body, created_at, expires_at)
    select $1 || n, $2, false, '{}', $3, $3 from generate_series(1, $4::integer) n`,
      [newId('qt'), app.merchant.accountId, expiresAt, count],
    );
  await insert(2_500, later(now, -25 * HOUR_MS));
  await insert(3, later(now, -23 * HOUR_MS));

  await prune(app.ctx, new AbortController().signal);
  expect(await app.ctx.db.query('test_quotes_left', 'select count(*)::integer as left from quotes')).toEqual([
    { left: 3 },
  ]);
});
