import { afterAll, beforeAll, expect, test } from 'vitest';
import { later } from '../../../src/platform/time.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const run = (aheadMs: number) =>
  expiryJob.run(
    { ...app.ctx, db: { ...app.ctx.db, now: async () => later(await app.ctx.db.now(), aheadMs) } },
    new AbortController().signal,
    () => {},
  );

test('one payment that cannot be closed does not keep others from being closed', async () => {
  const sessions = [];
  for (let at = 0; at < 6; at += 1) sessions.push(await app.merchant.live.createSession({ expires_in: 60 }));
  // An impossible value: a failure of one row must affect only that row.
  await app.ctx.db.query('test_break', `update checkout_sessions set receive_asset = 'NONE' where id = any($1)`, [
    sessions.slice(0, 3).map((session) => session.id),
  ]);

  await run(120_000);

  const rows = await app.ctx.db.query<{ status: string }>(
    'test_statuses',
    'select p.status from payments p where p.session_id = any($1) order by p.session_id',
    [sessions.slice(3).map((session) => session.id)],
  );
  expect(rows.map((row) => row.status)).toEqual(['expired', 'expired', 'expired']);
  await app.ctx.db.query(
    'test_mend',
    `update checkout_sessions set receive_asset = 'USDC' where receive_asset = 'NONE'`,
  );
});

test('a page full of payments that cannot be closed yet does not keep others from being closed', async () => {
  const merchant = app.merchant;
  const stuck = [];
  for (let at = 0; at < 100; at += 1) stuck.push(await merchant.createSession({ expires_in: 60 }));
  // A seen deposit keeps a routed payment open as long as its provider reports it.
  for (const session of stuck) {
    const { status } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      body: { pay_asset: 'ETH', pay_network: 'arbitrum', refund_address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' },
    });
    expect(status).toBe(200);
  }
  const ids = stuck.map(({ id }) => id);
  const held = await app.ctx.db.query(
    'test_seen',
    `update route_orders set state = 'seen' where payment_id in (select payment_id from checkout_sessions where id = any($1)) returning id`,
    [ids],
  );
  expect(held).toHaveLength(100);
  const late = await app.newMerchant();
  const session = await late.live.createSession({ expires_in: 60 });

  for (let round = 0; round < 3; round += 1) await run(120_000);

  expect((await late.live.get(`/checkout/sessions/${session.id}`)).status).toBe('expired');
  const [still] = await app.ctx.db.query<{ open: number }>(
    'test_open',
    `select count(*)::integer as open from payments where session_id = any($1) and status = 'pending'`,
    [ids],
  );
  expect(still?.open).toBe(100);
});
