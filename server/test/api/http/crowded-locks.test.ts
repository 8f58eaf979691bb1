import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

/** More than the connections of a process of the tests, and of a real one. */
const CROWD = 40;
const DIRECT = { pay_asset: 'USDC', pay_network: 'base' };

let app: TestApp;
let other: Merchant;

beforeAll(async () => {
  app = await startApp();
  other = await app.newMerchant();
});
afterAll(() => app.stop());

test("requests that wait for one account's sandbox hold one connection, and all are answered", async () => {
  const merchant = await app.newMerchant();
  const { id } = await merchant.createSession();
  await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body: DIRECT });

  const waiting = await whileLocked(merchant, () => [
    ...Array.from({ length: CROWD }, () =>
      app.inject('POST', `/v1/public/checkout/sessions/${id}/test`, { body: { action: 'add_block' } }),
    ),
    ...Array.from({ length: CROWD }, () =>
      merchant.request('POST', '/test_helpers/clock/advance', { body: { seconds: 1 } }),
    ),
  ]);

  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await merchant.get('/account')).test_clock.offset_seconds).toBe(CROWD);
});

test("what would wait too long for an account's sandbox is refused, and moves no clock", async () => {
  const merchant = await app.newMerchant();
  const advance = () => merchant.request('POST', '/test_helpers/clock/advance', { body: { seconds: 1 } });
  const answers = await whileLocked(merchant, () => Array.from({ length: 250 }, advance));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.body.error).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(/sandbox/) });
  expect((await merchant.get('/account')).test_clock.offset_seconds).toBe(answers.length - refused.length);
});

test('a move of the clock is not refused after it has moved, however many wait for its webhooks', async () => {
  const merchant = await app.newMerchant();
  const { sandboxes } = app.ctx.lines;
  const open = Promise.withResolvers<void>();
  const crowd = Array.from({ length: 201 }, () =>
    sandboxes.inTurn(`${merchant.accountId} deliveries`, () => open.promise),
  );
  expect(await merchant.request('POST', '/test_helpers/clock/advance', { body: { seconds: 1 } })).toMatchObject({
    status: 200,
  });
  expect((await merchant.get('/account')).test_clock.offset_seconds).toBe(1);
  open.resolve();
  await Promise.all(crowd);
});

test('changes of one account that wait for one another hold few connections, and all are answered', async () => {
  const { dashboard } = await app.newMerchant();
  const rename = () => dashboard.request('PATCH', '/account', { body: { name: 'Fern & Fog' } });
  const answers = await whileLocked(dashboard, () => Array.from({ length: CROWD }, rename), 4);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

/** Sends requests while something else holds the account. Few wait in the database, and another account is served. */
async function whileLocked<T>(merchant: Merchant, send: () => Promise<T>[], few = 1): Promise<T[]> {
  let sent: Promise<T>[] = [];
  await app.ctx.db.transaction(async (db) => {
    await db.query('test_lock', 'select from accounts where id = $1 for no key update', [merchant.accountId]);
    sent = send();
    await other.createSession();
    await expect.poll(() => waitingForLocks()).toBe(few);
    expect((await other.get('/account')).id).toBe(other.accountId);
    expect(app.ctx.db.connections()).toMatchObject({ waiting: 0 });
    expect(await waitingForLocks()).toBe(few);
  });
  return Promise.all(sent);
}

async function waitingForLocks(): Promise<number> {
  const rows = await app.ctx.db.query(
    'test_waiting',
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows.length;
}
