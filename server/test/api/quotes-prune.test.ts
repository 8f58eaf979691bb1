import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { DAY_MS, later } from '../../src/platform/time.ts';
import { quotesJob } from '../../src/resources/quotes/prune.ts';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a quote is forgotten a week after it expired, however many there are', async () => {
  const now = await app.ctx.db.now();
  const insert = (count: number, expiresAt: Date) =>
    app.ctx.db.query(
      'test_quotes',
      `
    insert into quotes (id, account_id, livemode, body, created_at, expires_at)
    select $1 || n, $2, false, '{}', $3, $3 from generate_series(1, $4::integer) n`,
      [newId('qt'), app.merchant.accountId, expiresAt, count],
    );
  await insert(2_500, later(now, -8 * DAY_MS));
  await insert(3, later(now, -6 * DAY_MS));

  const runs = [];
  do runs.push(await quotesJob.run(app.ctx, new AbortController().signal, () => {}));
  while (runs.at(-1) === 'more');

  expect(runs).toEqual(['more', 'more', 'idle']);
  expect(await app.ctx.db.query('test_quotes_left', 'select count(*)::integer as left from quotes')).toEqual([
    { left: 3 },
  ]);
});
