import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Merchant } from '../../support/merchant.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

test('an Idempotency-Key with a control character is 400, and is logged without it', async () => {
  for (const key of ['a\u0000b', 'a\u0007b', 'ā', '']) {
    const answer = await app.inject('POST', '/v1/checkout/sessions', {
      body: { amount: '1.00', currency: 'USD' },
      token: app.merchant.testKey,
      headers: { 'idempotency-key': key },
    });
    expect([answer.status, answer.body.error.param], JSON.stringify(key)).toEqual([400, 'Idempotency-Key']);
  }
  await vi.waitFor(async () => expect(await keysOf(app.merchant)).toContain('ab'), { timeout: 10_000 });
});

test("a row that the database rejects does not lose another account's rows", async () => {
  const [one, other] = [await app.newMerchant(), await app.newMerchant()];
  const { query } = app.ctx.db;
  const refuse = vi
    .spyOn(app.ctx.db, 'query')
    .mockImplementation(((name: string, sql: string, values: unknown[][]) =>
      name === 'insert_requests' && values[1]?.includes(one.accountId)
        ? Promise.reject(new Error('refused'))
        : query(name, sql, values)) as never);
  await one.get('/payments');
  await other.get('/payments');
  await vi.waitFor(async () => expect(await keysOf(other)).toHaveLength(1), { timeout: 10_000 });
  refuse.mockRestore();
  expect(await keysOf(one)).toEqual([]);
});

async function keysOf(merchant: Merchant): Promise<(string | null)[]> {
  const rows = await app.ctx.db.query<{ idempotencyKey: string | null }>(
    'keys_of_requests',
    'select idempotency_key from request_log where account_id = $1',
    [merchant.accountId],
  );
  return rows.map(({ idempotencyKey }) => idempotencyKey);
}
