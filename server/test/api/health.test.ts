import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;
beforeAll(async () => { app = await startApp(); });
afterAll(() => app.stop());

test('GET /healthz answers 200 as soon as requests are served', async () => {
  expect(await app.inject('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('GET /readyz tells database, migrations, queue age and each network', async () => {
  expect(await app.inject('GET', '/readyz')).toMatchObject({
    status: 200,
    body: { ready: true, database: { reachable: true }, migrations: { pending: [] }, queue: { due: 0, oldest_seconds: 0 }, networks: {} },
  });
});

test('GET /metrics answers to this machine, and does not exist for what a proxy forwards or a stranger asks', async () => {
  const answer = await app.inject('GET', '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.raw).toContain('http_request_duration_seconds_count');
  expect(await app.inject('GET', '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } })).toMatchObject({ status: 404 });
  expect(await app.inject('GET', '/metrics', { from: '203.0.113.9' })).toMatchObject({ status: 404 });
});
