import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deleteRequestsBefore,
  insertRequests,
  type LoggedRequest,
} from '../../../src/resources/dashboard/request-log-store.ts';
import { newId } from '../../../src/platform/ids.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const NOW = new Date('2026-03-01T12:00:00Z');
const YESTERDAY = new Date('2026-02-28T12:00:00Z');
const LONG_AGO = new Date('2026-01-01T12:00:00Z');

test("an account that floods the request log deletes its own oldest rows, not another account's history", async () => {
  const { db } = database;
  await insertRequests(db, [
    ...rows('flooding', 300, NOW),
    ...rows('quiet', 20, YESTERDAY),
    ...rows('quiet', 3, LONG_AGO),
  ]);
  const prune = () => deleteRequestsBefore(db, later(YESTERDAY, -SECOND_MS), { perAccount: 200, total: 100 }, 50);
  while ((await prune()) >= 50);

  const left = await db.query<{ accountId: string; count: bigint; oldest: Date }>(
    'count_logged',
    'select account_id, count(*), min(at) as oldest from request_log group by account_id order by account_id',
    [],
  );
  expect(left.map(({ accountId, count }) => [accountId, Number(count)])).toEqual([
    ['flooding', 80],
    ['quiet', 20],
  ]);
  // The newest ones stay.
  expect(left[0]?.oldest).toEqual(later(NOW, 220));
});

function rows(accountId: string, count: number, from: Date): LoggedRequest[] {
  return Array.from({ length: count }, (_, at) => ({
    id: newId('req'),
    accountId,
    livemode: true,
    keyId: null,
    method: 'GET',
    path: '/v1/payments',
    status: 200,
    code: null,
    durationMs: 1,
    idempotencyKey: null,
    at: later(from, at),
  }));
}
