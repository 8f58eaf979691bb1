import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { currentSigningKey } from '../../../src/platform/signing/signing-keys.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { failingChain } from './failing-chain.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('GET /healthz answers 200 as soon as requests are served', async () => {
  expect(await app.inject('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('GET /readyz reports database, migrations, queue age and each network', async () => {
  expect(await app.inject('GET', '/readyz')).toMatchObject({
    status: 200,
    body: {
      ready: true,
      database: { reachable: true },
      migrations: { pending: [] },
      queue: { due: 0, oldest_seconds: 0 },
      networks: {},
    },
  });
});

test('GET /readyz checks once for many concurrent requests, because they are not limited', async () => {
  let looks = 0;
  const db = {
    ...app.ctx.db,
    query: ((name, ...rest) => {
      if (name === 'look_at_queue') looks += 1;
      return app.ctx.db.query(name, ...rest);
    }) as typeof app.ctx.db.query,
  };
  await using other = await startApp({ overrides: { db } });
  await Promise.all(Array.from({ length: 50 }, () => other.inject('GET', '/readyz')));
  expect(looks).toBe(1);
});

test('GET /readyz starts no second check while one is running, however slow the database is', async () => {
  let looks = 0;
  let letGo: (() => void) | undefined;
  const slow = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const db = {
    ...app.ctx.db,
    query: (async (name, ...rest) => {
      if (name === 'look_at_server') {
        looks += 1;
        await slow;
      }
      return app.ctx.db.query(name, ...rest);
    }) as typeof app.ctx.db.query,
  };
  await using other = await startApp({ overrides: { db } });
  const first = other.inject('GET', '/readyz');
  await expect.poll(() => looks).toBe(1);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 10_000);
  onTestFinished(() => clock.mockRestore());
  const second = other.inject('GET', '/readyz');
  letGo?.();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(looks).toBe(1);
  clock.mockImplementation(() => now + 20_000);
  await other.inject('GET', '/readyz');
  expect(looks).toBe(2);
});

test("GET /readyz shows providers' answers to this machine only: they may contain a key", async () => {
  const said = 'project id 0123456789abcdef is over its limit';
  await using other = await startApp({ overrides: failingChain(said) });
  const [here, there] = [
    await other.inject('GET', '/readyz'),
    await other.inject('GET', '/readyz', { from: '203.0.113.9' }),
  ];
  expect(here.body.networks.base.providers).toEqual([
    { name: 'rpc.example', healthy: false, last_error: said, last_answered_at: null },
  ]);
  expect(there.body.networks.base.providers).toEqual([
    { name: 'rpc.example', healthy: false, last_error: null, last_answered_at: null },
  ]);
  expect((await other.inject('GET', '/readyz', { headers: { 'x-forwarded-for': '203.0.113.9' } })).raw).not.toContain(
    '0123456789abcdef',
  );
});

test('GET /metrics answers to this machine, and does not exist for what a proxy forwards or a stranger asks', async () => {
  const answer = await app.inject('GET', '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.raw).toContain('http_request_duration_seconds_count');
  expect(await app.inject('GET', '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } })).toMatchObject({
    status: 404,
  });
  expect(await app.inject('GET', '/metrics', { from: '203.0.113.9' })).toMatchObject({ status: 404 });
});

test.each([
  ['the secret of an endpoint', () => app.merchant.createEndpoint()],
  ['a key that signs receipts', () => currentSigningKey(app.ctx, { id: app.merchant.accountId, livemode: true })],
])('a master key that cannot open %s keeps the service from starting, and the right one does not', async (_, seal) => {
  await app.ctx.db.query('test_unseal', 'truncate webhook_endpoints, signing_keys cascade', []);
  await seal();
  const start = (byte: number) =>
    createApp(
      readConfig({
        DATABASE_URL: 'postgres://given',
        MASTER_KEY: byte.toString(16).padStart(2, '0').repeat(32),
        LOG_LEVEL: 'silent',
        PRICES: 'fixed',
      }),
      { db: app.ctx.db, log: app.ctx.log },
    );
  await expect(start(7)).rejects.toThrow('MASTER_KEY does not match');

  const key = (await readFile(join(app.config.dataDir, 'master.key'), 'utf8')).trim();
  const right = await createApp(
    { ...app.config, masterKey: Buffer.from(key, 'hex') },
    { db: app.ctx.db, log: app.ctx.log },
  );
  await right.close();

  const guide = await readFile(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
  for (const statement of /the key is lost.+?```sql\n(.+?)```/s.exec(guide)?.[1]?.trim().split('\n') ?? [])
    await app.ctx.db.query(`test_lost_key_${statement.length}`, statement, []);
  await (await start(7)).close();
});
