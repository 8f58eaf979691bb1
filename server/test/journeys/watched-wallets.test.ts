import { randomBytes } from 'node:crypto';
import { getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, later, MINUTE_MS } from '../../src/platform/time.ts';
import { findWatchedAddresses, type WatchedAddresses } from '../../src/settlement/reading/watched-addresses.ts';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;
let now: Date;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test("a wallet is watched from the next look on after its first session, on its own network and its family's", async () => {
  const empty = await look('base');
  expect(empty.addresses).toEqual(new Set());
  const [first, second] = [await wallet('base'), await wallet('ethereum')];
  expect((await look('base', empty)).addresses).toEqual(new Set());

  await session(first.id);
  const one = await look('base', empty);
  expect(one.addresses).toEqual(new Set([first.address]));
  // Polygon has no session, so it is not read at all.
  expect((await look('polygon')).addresses).toEqual(new Set());

  await session(second.id);
  const both = await look('base', one);
  expect(both.addresses).toEqual(new Set([first.address, second.address]));
  expect((await look('ethereum')).addresses).toEqual(new Set([first.address, second.address]));
});

test('with nothing new the set found before is returned, however many sessions there are', async () => {
  const { id } = await wallet('arbitrum');
  await session(id);
  const before = await look('arbitrum');
  for (let at = 0; at < 5; at += 1) await session(id);
  expect(await look('arbitrum', before)).toBe(before);
  const [written] = await app.ctx.db.query<{ days: string }>(
    'test_watched_until',
    `
    select round(extract(epoch from watched_until - $2) / 86400)::text as days from payout_wallets where id = $1`,
    [id, await app.ctx.db.now()],
  );
  expect(written).toEqual({ days: '31' });
});

test('a wallet whose sessions ended 31 days ago is no longer watched, and is again with its next session', async () => {
  const { id, address } = await wallet('polygon');
  await session(id);
  const before = await look('polygon');
  expect(before.addresses.has(address)).toBe(true);
  await app.ctx.db.query(
    'test_age_payments',
    `update payments set status = 'expired' where session_id in (select id from checkout_sessions where payout_wallet_id = $1)`,
    [id],
  );

  now = later(await app.ctx.db.now(), 32 * DAY_MS);
  const lapsed = await findWatchedAddresses(app.ctx.db, 'polygon', now, before);
  expect(lapsed.addresses.has(address)).toBe(false);

  await app.merchant.live.createSession({ payout_wallet_id: id, expires_in: 30 * 86_400 });
  expect(
    (await findWatchedAddresses(app.ctx.db, 'polygon', later(now, MINUTE_MS), lapsed)).addresses.has(address),
  ).toBe(true);
});

test('a payment that could not be closed is watched for, however long ago it should have ended', async () => {
  const { id, address } = await wallet('base');
  const { id: sessionId } = await session(id);
  await app.ctx.db.query('test_begin', `update payments set status = 'pending' where session_id = $1`, [sessionId]);
  const found = await findWatchedAddresses(app.ctx.db, 'base', later(await app.ctx.db.now(), 400 * DAY_MS));
  expect(found.addresses.has(address)).toBe(true);
});

async function look(
  network: 'base' | 'ethereum' | 'polygon' | 'arbitrum',
  before?: WatchedAddresses,
): Promise<WatchedAddresses> {
  return findWatchedAddresses(app.ctx.db, network, await app.ctx.db.now(), before);
}

async function wallet(network: string): Promise<{ id: string; address: string }> {
  return app.merchant.live.createWallet({ asset: 'USDC', network, address: getAddress(toHex(randomBytes(20))) });
}

async function session(walletId: string): Promise<{ id: string }> {
  return app.merchant.live.createSession({ payout_wallet_id: walletId });
}
