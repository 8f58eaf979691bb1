import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { later } from '../../src/platform/time.ts';
import { reclaimJob, reclaimReferenced } from '../../src/settlement/attribution/reclaim-referenced.ts';
import { findLoose } from '../../src/settlement/restored.ts';
import { findPaidByOlderMoney } from '../../src/settlement/restored-store.ts';
import { holding } from '../support/holding.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

// Money that is already on the chain when its session is created again after a restore.
let shop: Settlement;
beforeAll(async () => {
  shop = await startSettlement({ movableClock: true });
});
afterAll(() => shop[Symbol.asyncDispose]());

test('money that carries the reference of a session is found once the session is created again, and only once', async () => {
  const session = await create('by reference');
  const { payment } = await shop.choose(session.id);
  await loseNewestRows();
  await shop.send(49_000_000n, { tag: Buffer.from(payment.tag.slice(2), 'hex') });
  await shop.settle();
  expect(await shop.unattributed()).toMatchObject([{ amount: '49.000000', reason: 'no_match' }]);

  await pass(600);
  expect((await create('by reference')).id).toBe(session.id);
  await work();
  await shop.settle();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  expect(await shop.unattributed()).toEqual([]);
  await work();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
});

describe('money for a session whose wallet is lost too', () => {
  let usual: string;
  beforeAll(async () => {
    const { data } = await shop.merchant.get('/payout-wallets');
    usual = data.find((wallet: { is_default: boolean }) => wallet.is_default).id;
    await shop.session({ payout_wallet_id: usual });
    await shop.settle();
  });
  afterAll(() => makeDefault(usual));

  test('is found once both exist again, if the address had a wallet for another asset of the network', async () => {
    await losePaid('lost asset', { asset: 'USDT', network: 'ethereum', address: shop.wallet }, 'other_asset');
  });

  test('is found once both exist again, if the address had wallets on other networks only', async () => {
    const address = getAddress(toHex(randomBytes(20)));
    const known = await shop.merchant.createWallet({ asset: 'USDC', network: 'base', address });
    await shop.session({ payout_wallet_id: known.id });
    await losePaid('lost network', { asset: 'USDC', network: 'ethereum', address }, 'wrong_network');
  });

  async function losePaid(key: string, wallet: { asset: string; network: string; address: Address }, reason: string) {
    const before = await saveDefault(wallet);
    const session = await create(key);
    const { payment } = await shop.choose(session.id, { pay_asset: wallet.asset });
    await loseRowsOf(session.id);
    await shop.ctx.db.query('test_lose_wallet', 'delete from payout_wallets where id = $1', [before]);
    const token = wallet.asset === 'USDT' ? shop.usdt : shop.usdc;
    const tag = Buffer.from(payment.tag.slice(2), 'hex');
    const txHash = await shop.send(49_000_000n, { token, to: wallet.address, tag });
    await shop.settle();
    await pass(600);
    expect(await transfersOf(txHash)).toMatchObject([{ reason, paymentId: null }]);

    await saveDefault(wallet);
    expect((await create(key)).id).toBe(session.id);
    await work();
    await shop.settle();
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  }

  async function saveDefault(wallet: Record<string, unknown>): Promise<string> {
    const { id } = await shop.merchant.createWallet(wallet);
    await makeDefault(id);
    return id;
  }

  async function makeDefault(id: string): Promise<void> {
    const { db } = shop.ctx;
    await db.query('test_no_default', 'update payout_wallets set is_default = false where livemode and is_default');
    await db.query('test_default', 'update payout_wallets set is_default = true where id = $1', [id]);
  }
});

test('a payment is listed if its money is older than its session: it may have been refunded before the restore', async () => {
  const from = await shop.ctx.db.now();
  const onTime = await create('on time');
  const { payment } = await shop.choose(onTime.id);
  await shop.send(49_000_000n, { tag: Buffer.from(payment.tag.slice(2), 'hex') });
  await shop.settle();
  expect(await shop.walk(onTime.id)).toEqual(['created', 'pending', 'paid']);
  const { session, transfer } = await lost('refunded before');
  await create('refunded before');
  expect(await reclaim()).toEqual([
    { transferId: transfer.id, paymentId: (await shop.payment(session.id)).id, blockTime: transfer.blockTime },
  ]);
  await shop.settle();
  const { id, status } = await shop.payment(session.id);
  expect(status).toBe('paid');
  expect(await findPaidByOlderMoney(shop.ctx.db, from, 100)).toMatchObject([
    { id, orderId: 'refunded before', transferId: transfer.id, blockTime: transfer.blockTime },
  ]);
});

test('money for the exact amount of a session that the backup knows is listed with it if the choice came after the backup', async () => {
  const session = await create('chosen after the backup');
  await pass(600);
  const from = later(await shop.ctx.db.now(), -60_000);
  const { payment } = await shop.choose(session.id);
  await loseChoice(session.id);
  await shop.send(units(payment.amount));
  await shop.settle();
  const { id } = await shop.payment(session.id);
  expect(await findLoose(shop.ctx, from, 10)).toMatchObject([
    { transfer: { amountUnits: units(payment.amount) }, candidates: [{ id, orderId: 'chosen after the backup' }] },
  ]);
});

test('transfers with made-up references to one address do not keep those of another from being looked at', async () => {
  const { transfer } = await lost('behind a flood');
  await create('behind a flood');
  await shop.ctx.db.query(
    'test_flood',
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, to_address, amount_units, block_number,
      block_hash, block_time, carried, status, reason,
                           first_seen_at)
    select 'tr_flood' || n, livemode, network, '0xflood' || n, 0, asset, '0xflooded', 10000, block_number, block_hash,
      block_time + interval '1 second',
           array[sha256(n::text::bytea)], 'final', 'no_match', first_seen_at
      from transfers, generate_series(1, 5) as n where id = $1`,
    [transfer.id],
  );
  expect(await reclaim({ limit: 3 })).toMatchObject([{ transferId: transfer.id }]);
});

describe('one transfer', () => {
  test('that fails does not keep the others from their payments', async () => {
    const [poison, honest] = [await lost('poison'), await lost('beside a poison')];
    await create('poison');
    await create('beside a poison');
    await shop.ctx.db.query(
      'test_poison',
      `
      create function test_poison() returns trigger language plpgsql as $$
      begin
        if new.id = '${poison.transfer.id}' then raise exception 'poisoned'; end if;
        return new;
      end $$`,
    );
    await shop.ctx.db.query(
      'test_poisoned',
      'create trigger test_poison before update on transfers for each row execute function test_poison()',
    );
    expect(await reclaim()).toMatchObject([{ transferId: honest.transfer.id }]);
    await shop.ctx.db.query('test_heal', 'drop trigger test_poison on transfers');
    expect(await reclaim()).toMatchObject([{ transferId: poison.transfer.id }]);
  });

  test('that its session does not accept is stored once, and not again in each turn', async () => {
    const { session, transfer } = await lost('not accepted');
    await create('not accepted');
    await shop.ctx.db.query('test_accept', `update checkout_sessions set accepted_assets = '{BTC}' where id = $1`, [
      session.id,
    ]);
    const version = async () =>
      shop.ctx.db.query('test_version', 'select xmin::text, reason from transfers where id = $1', [transfer.id]);
    expect(await reclaim()).toEqual([]);
    const stored = await version();
    expect(stored).toMatchObject([{ reason: 'other_asset' }]);
    expect(await reclaim()).toEqual([]);
    expect(await version()).toEqual(stored);
  });

  test('that is set aside waits for a person', async () => {
    const { transfer } = await lost('set aside');
    await create('set aside');
    await shop.ctx.db.query('test_set_aside', 'update transfers set set_aside_at = now() where id = $1', [transfer.id]);
    expect(await reclaim()).toEqual([]);
  });

  test('that is released while it is looked at keeps its reason', async () => {
    const { session, transfer } = await lost('released');
    await create('released');
    await setStatus(session.id, 'paid');
    await holding(
      shop.ctx.db,
      { sql: `update transfers set reason = 'released', released_at = now() where id = $1`, id: transfer.id },
      reclaim,
    );
    expect((await transfersOf(transfer.txHash))[0]?.reason).toBe('released');
  });

  test('that carries two references is locked only after both of their payments', async () => {
    const both = [await lost('one of two'), await lost('two of two')];
    for (const key of ['one of two', 'two of two']) await create(key);
    const payments = await Promise.all(both.map(async ({ session }) => (await shop.payment(session.id)).id as string));
    const [first, last] = payments[0]! < payments[1]! ? [both[0]!, both[1]!] : [both[1]!, both[0]!];
    // The first one takes no money, so the last one gets it.
    await setStatus(first.session.id, 'paid');
    await shop.ctx.db.query(
      'test_carry_both',
      'update transfers t set carried = $2::bytea[] || carried where id = $1',
      [last.transfer.id, first.transfer.carried],
    );
    await shop.ctx.db.query('test_handle', 'update transfers set handled_at = now() where id = $1', [
      first.transfer.id,
    ]);
    const { id } = await shop.payment(last.session.id);
    await holding(shop.ctx.db, { sql: 'select from payments where id = $1 for update', id }, reclaim, async (db) => {
      // Settlement also locks the transfer after the payment, so this lock must be free.
      await db.query('test_lock_next', 'select from transfers where id = $1 for update nowait', [last.transfer.id]);
    });
    expect(await transfersOf(last.transfer.txHash)).toMatchObject([{ paymentId: id }]);
  });
});

test('money that only an exact amount identifies is not assigned, and is listed with the session whose amount it is', async () => {
  const session = await create('by amount');
  const { payment } = await shop.choose(session.id);
  await loseNewestRows();
  const from = later(await shop.ctx.db.now(), -60_000);
  await shop.send(units(payment.amount));
  await shop.settle();
  await pass(600);

  expect((await create('by amount')).id).toBe(session.id);
  expect((await shop.choose(session.id)).payment.amount).toBe(payment.amount);
  await work();
  await shop.settle();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending']);
  const { id } = await shop.payment(session.id);
  expect(await findLoose(shop.ctx, from, 10)).toMatchObject([
    { transfer: { amountUnits: units(payment.amount) }, candidates: [{ id, orderId: 'by amount' }] },
  ]);
});

async function create(key: string): Promise<{ id: string }> {
  const body = { amount: '49.00', order_id: key, expires_in: 7200 };
  return shop.merchant.post('/checkout/sessions', body, { idempotencyKey: key });
}

/** A session that was paid by its reference and then lost, and its transfer, which no payment has. */
async function lost(key: string) {
  const session = await create(key);
  const { payment } = await shop.choose(session.id);
  await loseRowsOf(session.id);
  const txHash = await shop.send(49_000_000n, { tag: Buffer.from(payment.tag.slice(2), 'hex') });
  await shop.settle();
  await pass(600);
  const [transfer] = await transfersOf(txHash);
  if (!transfer) throw new Error('the transfer was not read');
  return { session, transfer };
}

interface TransferRow {
  id: string;
  txHash: string;
  blockTime: Date;
  carried: Buffer[];
  reason: string | null;
  paymentId: string | null;
}

function transfersOf(txHash: string): Promise<TransferRow[]> {
  return shop.ctx.db.query('test_transfers', 'select * from transfers where tx_hash = $1', [txHash]);
}

async function reclaim({ limit = 1_000 } = {}) {
  return reclaimReferenced(shop.ctx, { from: new Date(0), limit });
}

async function setStatus(sessionId: string, status: string): Promise<void> {
  await shop.ctx.db.query('test_set_status', 'update payments set status = $2 where session_id = $1', [
    sessionId,
    status,
  ]);
}

const units = (amount: string) => BigInt(amount.replace('.', '').padEnd(8, '0'));

async function work(): Promise<void> {
  await reclaimJob.run(shop.ctx, new AbortController().signal, () => {});
}

async function pass(seconds: number): Promise<void> {
  await shop.app.pass(seconds);
  await shop.chain.rpc('evm_increaseTime', [toHex(seconds)]);
  await shop.settle();
}

/** The database as in a backup from before the sessions. */
async function loseNewestRows(): Promise<void> {
  await shop.ctx.db.query(
    'test_lose_rows',
    'truncate checkout_sessions, payments, payment_states, payment_targets, reserved_amounts, events, idempotency_keys cascade',
  );
}

/** As if the backup did not know a session, with everything that is stored of others. */
async function loseRowsOf(sessionId: string): Promise<void> {
  const { db } = shop.ctx;
  const { id } = await shop.payment(sessionId);
  await loseChoice(sessionId);
  await db.query('test_lose_keys', 'delete from idempotency_keys');
  await db.query('test_lose_states', 'delete from payment_states where payment_id = $1', [id]);
  await db.query('test_lose_events', 'delete from events where object_id = $1', [id]);
  await db.query('test_lose_payment', 'delete from payments where id = $1', [id]);
  await db.query('test_lose_session', 'delete from checkout_sessions where id = $1', [sessionId]);
}

/** As if the backup did not know what the customer of a session chose. */
async function loseChoice(sessionId: string): Promise<void> {
  const { db } = shop.ctx;
  const { id } = await shop.payment(sessionId);
  await db.query('test_lose_amounts', 'delete from reserved_amounts where payment_id = $1', [id]);
  await db.query('test_lose_targets', 'delete from payment_targets where payment_id = $1', [id]);
  await db.query(
    'test_lose_pending',
    `update payments set status = 'created', sequence = 1, started_at = null where id = $1`,
    [id],
  );
}
