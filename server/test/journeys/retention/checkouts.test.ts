import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { prune } from '../../../src/retention/prune.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

const passOver = () => prune(app.ctx, new AbortController().signal);
const exists = async (sessionId: string) =>
  (await merchant.request('GET', `/checkout/sessions/${sessionId}`)).status === 200;
const pay = (sessionId: string) =>
  app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });

/** Ends a checkout as the expiry would have, some days ago. */
async function end(sessionId: string, daysAgo: number): Promise<string> {
  const at = later(await app.ctx.db.now(), -daysAgo * DAY_MS);
  const [row] = await app.ctx.db.query<{ id: string }>(
    'test_end',
    `update payments set status = 'expired', sequence = sequence + 1, expires_at = $2, ended_at = $2 where session_id = $1 returning id`,
    [sessionId, at],
  );
  return row?.id ?? '';
}

async function transferFor(paymentId: string | null, near: string | null = null, daysAgo = 400): Promise<string> {
  const at = later(await app.ctx.db.now(), -daysAgo * DAY_MS);
  const [row] = await app.ctx.db.query<{ id: string }>(
    'test_transfer',
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, to_address, amount_units, block_number,
      block_hash, block_time, status,
                           payment_id, near_payment_id, first_seen_at)
    select 'tr_' || md5(random()::text), false, 'base', md5(random()::text), 0, 'USDC', '0x1', 1, 1, 'b', $3, 'final', $1, $2, $3
    returning id`,
    [paymentId, near, at],
  );
  return row?.id ?? '';
}

test('a checkout that was never started is deleted after the retention time with everything of it, not before', async () => {
  const [old, young] = [await merchant.createSession(), await merchant.createSession()];
  const paymentId = await end(old.id, 91);
  await end(young.id, 89);
  await passOver();
  expect([await exists(old.id), await exists(young.id)]).toEqual([false, true]);
  const [left] = await app.ctx.db.query(
    'test_left',
    `
    select (select count(*)::integer from payments where id = $1) as payments, (select count(*)::integer
      from payment_states where payment_id = $1) as states`,
    [paymentId],
  );
  expect(left).toEqual({ payments: 0, states: 0 });
});

test('one that was started and never paid is deleted after a year, with its amounts and choices', async () => {
  const [old, young] = [await merchant.createSession(), await merchant.createSession()];
  for (const { id } of [old, young]) expect((await pay(id)).status).toBe(200);
  const paymentId = await end(old.id, 366);
  await end(young.id, 364);
  await passOver();
  expect([await exists(old.id), await exists(young.id)]).toEqual([false, true]);
  expect(
    await app.ctx.db.query('test_amounts_left', `select 1 from reserved_amounts where payment_id = $1`, [paymentId]),
  ).toEqual([]);
});

test('a checkout with money, with a transfer that nearly met it, or that is open or paid is kept, however old, and delays none beside it', async () => {
  const kept = [];
  for (let index = 0; index < 4; index += 1) kept.push(await merchant.createSession());
  const [money, near, open, paid] = kept.map(({ id }) => id) as [string, string, string, string];
  await transferFor(await end(money, 800));
  await transferFor(null, await end(near, 800), 10);
  await end(open, 800);
  await app.ctx.db.query('test_open', `update payments set status = 'created' where session_id = $1`, [open]);
  await end(paid, 800);
  await app.ctx.db.query(
    'test_paid',
    `update payments set status = 'paid', started_at = created_at where session_id = $1`,
    [paid],
  );
  const beside = await merchant.createSession();
  await end(beside.id, 800);
  await passOver();
  for (const id of [money, near, open, paid]) expect(await exists(id)).toBe(true);
  expect(await exists(beside.id)).toBe(false);
});

test("a thousand checkouts of one account that must be kept do not block another's", async () => {
  const { id } = await merchant.createSession();
  await transferFor(null, await end(id, 900), 10);
  await app.ctx.db.query(
    'test_clone_sessions',
    `
    insert into checkout_sessions
    select (jsonb_populate_record(s, jsonb_build_object('id', 'cs_kept' || n, 'payment_id', 'pay_kept' || n,
      'reference', '\\x' || md5('a' || n) || md5('b' || n)))).*
      from checkout_sessions s, generate_series(1, 1100) n where s.id = $1`,
    [id],
  );
  await app.ctx.db.query(
    'test_clone_payments',
    `
    insert into payments
    select (jsonb_populate_record(p, jsonb_build_object('id', 'pay_kept' || n, 'session_id', 'cs_kept' || n))).*
      from payments p, generate_series(1, 1100) n where p.session_id = $1`,
    [id],
  );
  await app.ctx.db.query(
    'test_hints',
    `
    insert into transaction_hints (payment_id, tx_hash, created_at, expires_at)
    select 'pay_kept' || n, 'h', $1, $1 from generate_series(1, 1100) n`,
    [later(await app.ctx.db.now(), DAY_MS)],
  );
  const behind = await merchant.createSession();
  await end(behind.id, 120);
  await passOver();
  expect(await exists(behind.id)).toBe(false);
  expect(
    await app.ctx.db.query('test_kept', `select count(*)::integer as kept from payments where id like 'pay_kept%'`),
  ).toEqual([{ kept: 1100 }]);
});

test('blocks of test mode are deleted with their transfers after a year; the newest of a chain stays', async () => {
  const now = await app.ctx.db.now();
  const { accountId } = await app.newMerchant();
  for (const [number, days] of [
    [1, 900],
    [2, 800],
    [3, 700],
  ] as const) {
    await app.ctx.db.query(
      'test_block',
      `insert into sandbox_blocks (account_id, network, number, time, recorded_at) values ($1, 'base', $2, $3, $3)`,
      [accountId, number, later(now, -days * DAY_MS)],
    );
    await app.ctx.db.query(
      'test_sandbox_transfer',
      `
      insert into sandbox_transfers (account_id, network, tx_hash, index, asset, from_address, to_address, amount_units, block_number)
      values ($1, 'base', $2, 0, 'USDC', '0x2', '0x1', 1, $3)`,
      [accountId, `${accountId}${number}`, number],
    );
  }
  await passOver();
  const [left] = await app.ctx.db.query(
    'test_blocks_left',
    `
    select (select array_agg(number::integer) from sandbox_blocks where account_id = $1) as blocks,
           (select array_agg(block_number::integer) from sandbox_transfers where account_id = $1) as transfers`,
    [accountId],
  );
  expect(left).toEqual({ blocks: [3], transfers: [3] });
});

test('transfers without a payment and transactions that were set aside are deleted after their time', async () => {
  const [old, young] = [await transferFor(null, null, 366), await transferFor(null, null, 364)];
  const now = await app.ctx.db.now();
  await app.ctx.db.query(
    'test_set_aside',
    `insert into set_aside_transactions (network, tx_hash, to_addresses, block_number, error, at)
      values ('base', 'old', '{a}', 1, 'e', $1), ('base', 'young', '{a}', 1, 'e', $2)`,
    [later(now, -91 * DAY_MS), later(now, -89 * DAY_MS)],
  );
  await passOver();
  const rows = await app.ctx.db.query<{ id: string }>(
    'test_transfers_left',
    'select id from transfers where id = any($1)',
    [[old, young]],
  );
  expect(rows.map((row) => row.id)).toEqual([young]);
  expect(await app.ctx.db.query('test_aside_left', 'select tx_hash from set_aside_transactions')).toEqual([
    { txHash: 'young' },
  ]);
});

test('an account whose test clock is years ahead keeps nothing longer than any other', async () => {
  const ahead = await app.newMerchant();
  for (let year = 0; year < 10; year += 1) await ahead.post('/test_helpers/clock/advance', { seconds: 366 * 86_400 });
  const session = await ahead.createSession({ expires_in: 60 });
  const started = await ahead.createSession({ expires_in: 60 });
  await pay(started.id);
  const paid = await ahead.createSession();
  const outcome = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' };
  await ahead.post(`/test_helpers/checkout/sessions/${paid.id}/pay`, outcome);
  const wallet = await ahead.createWallet();
  const quote = { pay_asset: 'USDC', pay_network: 'base', payout_wallet_id: wallet.id, amount: '49.00' };
  await ahead.get('/routes/quote', quote);
  // Its clock cannot move further.
  await app.ctx.db.query('test_expire', `update payments set status = 'expired' where session_id = any($1)`, [
    [session.id, started.id],
  ]);
  const count = async () => {
    const [row] = await app.ctx.db.query<{ kept: number[] }>(
      'test_kept_checkouts',
      `
      select array[(select count(*) from payments where account_id = $1 and status = 'expired'),
                   (select count(*) from quotes where account_id = $1),
                   (select count(*) from sandbox_blocks where account_id = $1)]::integer[] as kept`,
      [ahead.accountId],
    );
    return row?.kept;
  };
  const now = await app.ctx.db.now();
  await passOver();
  const [payments, quotes, blocks = 0] = (await count()) ?? [];
  expect([payments, quotes, blocks > 1]).toEqual([2, 1, true]);

  const clock = vi.spyOn(app.ctx.db, 'now').mockResolvedValue(later(now, 366 * DAY_MS));
  await passOver();
  clock.mockRestore();
  // The newest block of a chain stays.
  expect(await count()).toEqual([0, 0, 1]);
});
