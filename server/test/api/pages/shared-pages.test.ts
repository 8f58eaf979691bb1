import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const open = (path: string, headers: Record<string, string> = {}) => app.inject('GET', path, { headers });

test.each([
  ['/checkout/', 2],
  ['/receipt/', 2],
  ['/v1/public/checkout/sessions/', 1],
])('%s… that nothing changed is made once for all who open it, in each language that it has', async (path, times) => {
  const { id } = await app.merchant.createSession();
  if (path === '/receipt/') await app.merchant.pay(id);
  const drawn = countQueries();
  // It is kept for a second.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const answers = [];
  for (const language of ['en', 'en', 'de', 'de', 'en']) {
    const { status, body } = await open(`${path}${id}`, { 'accept-language': language });
    expect(status).toBe(200);
    answers.push(JSON.stringify(body.data ?? body));
  }
  expect([new Set(answers).size, drawn.count('find_public_merchant')]).toEqual([times, times]);
  clock.mockRestore();
  drawn.stop();
});

test('a page and a public read show at once what its customer, its merchant and the test clock change', async () => {
  const { merchant } = app;
  const { id } = await merchant.createSession();
  const read = async () => (await open(`/v1/public/checkout/sessions/${id}`)).body.data;
  await open(`/checkout/${id}`);
  expect((await read()).payment).toBeNull();

  const chosen = await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  expect(chosen.status).toBe(200);
  expect((await read()).payment.address).toBe(chosen.body.data.payment.address);
  expect((await open(`/checkout/${id}`)).raw).toContain(chosen.body.data.payment.address);

  await app.inject('PATCH', '/v1/account', { token: merchant.loginToken, body: { name: 'Renamed Bakery' } });
  expect((await open(`/checkout/${id}`)).raw).toContain('Renamed Bakery');
  expect((await read()).merchant.name).toBe('Renamed Bakery');

  await app.inject('POST', '/v1/test_helpers/clock/advance', { token: merchant.testKey, body: { seconds: 86_400 } });
  expect(Date.parse((await read()).server_time)).toBeGreaterThan(Date.now() + 80_000_000);
});

test('what one visitor typed is not shown to another', async () => {
  const { id } = await app.merchant.createSession();
  const before = (await open(`/checkout/${id}`)).raw;
  const sent = await app.server.inject({
    method: 'POST',
    url: `/checkout/${id}/transactions`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'tx_hash=typed-by-one',
  });
  expect(sent.statusCode).toBeGreaterThanOrEqual(300);
  expect((await open(`/checkout/${id}`)).raw).not.toContain('typed-by-one');
  expect(before).not.toContain('typed-by-one');
});

test('each visit of a payment link has a key of its own, and a disabled link is not shown any more', async () => {
  const { id } = await app.merchant.createLink();
  const keys = [];
  for (let visit = 0; visit < 3; visit += 1)
    keys.push(/name="idempotency_key" value="(req_\w+)"/.exec((await open(`/pay/${id}`)).raw)?.[1]);
  expect(new Set(keys).size).toBe(3);
  expect(keys).not.toContain(undefined);
  const disabled = await app.inject('POST', `/v1/payment-links/${id}/disable`, { token: app.merchant.testKey });
  expect(disabled.status).toBe(200);
  expect((await open(`/pay/${id}`)).raw).not.toContain('idempotency_key');
});

function countQueries() {
  const { db } = app.ctx;
  const { query } = db;
  const names: string[] = [];
  db.query = ((name: string, sql: string, values?: readonly unknown[]) => {
    names.push(name);
    return query.call(db, name, sql, values);
  }) as typeof query;
  return {
    count: (name: string) => names.filter((one) => one === name).length,
    stop: () => void (db.query = query),
  };
}
