import { describe, expect, test, vi } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { readHealth } from '../../../src/health.ts';
import { SECOND_MS } from '../../../src/platform/time.ts';
import { createTestDatabase, refuseWrites } from '../../support/database.ts';
import { startApp, type TestApp } from '../../support/index.ts';

describe('/readyz', () => {
  test('is 503 with the reason on a database that accepts no writes', async () => {
    const database = await createTestDatabase();
    await using app = await startApp({ database });
    await refuseWrites(database.url);
    await expect
      .poll(() => readiness(app), { interval: 300 })
      .toMatchObject({ status: 503, ready: false, reasons: [expect.stringContaining('accepts no writes')] });
  });

  test('is 503 for requests from outside too while the database is away, when /healthz is still 200', async () => {
    await using app = await startApp();
    let isAway = false;
    const now = async () => {
      if (isAway) throw new Error('connect ECONNREFUSED');
      return app.ctx.db.now();
    };
    const { server, close } = await createApp(app.config, { ...app.ctx, db: { ...app.ctx.db, now } });
    const ask = (url: string) => server.inject({ url, headers: { 'x-forwarded-for': '203.0.113.9' } });
    isAway = true;
    expect((await ask('/healthz')).statusCode).toBe(200);
    const answer = await ask('/readyz');
    expect([answer.statusCode, answer.json().reasons]).toEqual([503, ['The database cannot be reached.']]);
    await close();
  });

  test('is 503 with the reason on a schema that lacks what this release needs', async () => {
    await using app = await startApp();
    const [newest] = await app.ctx.db.query<{ name: string }>(
      'test_unapply',
      'delete from schema_migrations where name = (select max(name) from schema_migrations) returning name',
      [],
    );
    await expect
      .poll(() => readiness(app), { interval: 300 })
      .toMatchObject({
        status: 503,
        ready: false,
        reasons: [expect.stringContaining('older than this release: run `quittance-server migrate`')],
        migrations: { pending: [newest?.name], unknown: [] },
      });
  });

  test('is 503 with the reason on a schema that a newer release has taken something away from', async () => {
    await using app = await startApp();
    const apply = (name: string, isContract: boolean) =>
      app.ctx.db.query('test_apply', 'insert into schema_migrations values ($1, $2, $3, now())', [
        name,
        '',
        isContract,
      ]);
    await apply('9998-adds', false);
    await expect
      .poll(() => readiness(app), { interval: 300 })
      .toMatchObject({ status: 200, ready: true, migrations: { pending: [], unknown: ['9998-adds'] } });
    await apply('9999-takes-away', true);
    await expect
      .poll(() => readiness(app), { interval: 300 })
      .toMatchObject({ status: 503, ready: false, reasons: [expect.stringContaining('9999-takes-away')] });
  });

  test('is 503 within seconds on a database that answers nothing, and /metrics says so', async () => {
    await using app = await startApp();
    vi.spyOn(app.ctx.db, 'now').mockReturnValue(new Promise(() => {}));
    vi.spyOn(app.ctx.db, 'query').mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const asked = Promise.all([readiness(app), app.server.inject({ url: '/metrics' })]);
      await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
      const [ready, metrics] = await asked;
      expect(ready).toMatchObject({ status: 503, reasons: ['The database cannot be reached.'] });
      expect(metrics.body).toMatch(/^quittance_ready 0$/m);
    } finally {
      vi.useRealTimers();
      vi.restoreAllMocks();
    }
  });
});

test('a database that answers nothing is asked once, however long and by how many', async () => {
  await using app = await startApp();
  const asked = vi.spyOn(app.ctx.db, 'now').mockReturnValue(new Promise(() => {}));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    for (let time = 1; time <= 2; time += 1) {
      const all = Promise.all([readiness(app), app.server.inject({ url: '/metrics' }), readHealth(app.ctx)]);
      await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
      expect((await all)[2]).toMatchObject({ ready: false });
    }
    expect(asked).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});

async function readiness(app: TestApp): Promise<object> {
  const answer = await app.server.inject({ url: '/readyz' });
  return { status: answer.statusCode, ...(answer.json() as object) };
}
