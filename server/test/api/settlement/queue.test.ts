import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { closeWindow } from '../../../src/settlement/outcome/expire.ts';
import { prune } from '../../../src/retention/prune.ts';
import { rescan, type RescanProgress } from '../../../src/settlement/rescan.ts';
import { MAX_LISTED_PER_HOUR, MAX_LISTED_UNPROVED_PER_HOUR } from '../../../src/settlement/reading/select-transfers.ts';
import { privateKeyToAccount } from 'viem/accounts';
import { claimText } from '../../../src/settlement/attribution/claim.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { proveWallet } from '../../support/prove.ts';
import { FakeNetwork } from '../../support/fake-network.ts';
import type { Merchant } from '../../support/index.ts';

// Reading stores facts, attribution is a queue, verification covers only transfers that payments depend on.
let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());
beforeEach(async () => {
  await removePoison();
  net.lines.length = 0;
});

describe('a transfer whose attribution always fails', () => {
  test('is set aside after three attempts with an alarm, and payments beside it are paid', async () => {
    const wallet = await net.wallet();
    const honest = await net.checkout(wallet);
    await net.blocks(1);
    const poison = net.transaction(wallet.address, 31_000_000n);
    await poisonAttribution(poison.hash);
    net.send(poison, net.transaction(wallet.address, honest.amountUnits));
    await net.blocks(6);

    expect(await net.status(honest)).toBe('paid');
    // The second attempt came after a second, and the third comes half a minute after that.
    expect(await stored(poison.hash)).toEqual([{ queued: true, isSetAside: false, paymentId: null }]);
    await net.blocks(16, 1);
    expect(await stored(poison.hash)).toEqual([{ queued: false, isSetAside: true, paymentId: null }]);
    expect(net.alarms('transfer_set_aside')).toHaveLength(1);
  });

  test('can still be assigned by hand', async () => {
    const wallet = await net.wallet();
    const meant = await net.checkout(wallet);
    await net.blocks(1);
    const poison = net.transaction(wallet.address, meant.amountUnits);
    await poisonAttribution(poison.hash);
    net.send(poison);
    await net.blocks(20, 1);
    expect(await net.status(meant)).toBe('pending');

    await removePoison();
    const {
      data: [transfer],
    } = await net.app.merchant.live.get('/transfers', { unattributed: 'true' });
    const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${meant.id}`);
    const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${body.data.id}`);
    await net.app.merchant.live.dashboard.post(`/transfers/${transfer.id}/assign`, { payment });
    await net.blocks(4);
    expect(await net.status(meant)).toBe('paid');
  });
});

test('a transaction of which not even the facts can be stored is set aside, and the cursor moves on', async () => {
  const wallet = await net.wallet();
  const honest = await net.checkout(wallet);
  await net.blocks(1);
  const poison = net.transaction(wallet.address, 32_000_000n);
  await poisonStoring(poison.hash);
  net.send(poison, net.transaction(wallet.address, honest.amountUnits));
  await net.blocks(6);

  expect(await net.status(honest)).toBe('paid');
  expect(await setAsideTransactions(net.app.merchant.live)).toMatchObject([{ network: 'base', tx_hash: poison.hash }]);
  expect(net.alarms('transaction_set_aside').length).toBeGreaterThan(0);
});

test('a transaction that could not be stored is listed for every account that it pays until it is stored', async () => {
  const [first, second, stranger] = await Promise.all([0, 1, 2].map(() => net.app.newMerchant({ mode: 'live' })));
  if (!first || !second || !stranger) throw new Error('there are no merchants');
  const [one, other, third] = [
    await net.wallet(first.live),
    await net.wallet(second.live),
    await net.wallet(stranger.live),
  ];
  for (const [wallet, merchant] of [
    [one, first],
    [other, second],
    [third, stranger],
  ] as const)
    await net.checkout(wallet, merchant.live);
  await net.blocks(1);
  const poison = net.transaction(one.address, 33_000_000n, 34_000_000n);
  const [, toOther] = poison.movements;
  if (toOther) toOther.to = other.address;
  await poisonStoring(poison.hash);
  net.send(poison);
  await net.blocks(6);

  for (const merchant of [first, second])
    expect(await setAsideTransactions(merchant.live)).toEqual([
      { network: 'base', tx_hash: poison.hash, set_aside_at: expect.any(String) },
    ]);
  expect(await setAsideTransactions(stranger.live)).toEqual([]);
  expect(await setAsideTransactions(first.test)).toEqual([]);

  // As a rescan stores it after the cause is repaired.
  await removePoison();
  for await (const _ of rescan(net.ctx, 'base', BigInt(net.ledger.highest - 8)));
  expect(await stored(poison.hash)).toHaveLength(2);
  expect(await setAsideTransactions(first.live)).toEqual([]);
});

test('one that cannot be stored in a rescan is set aside as well, and the rescan goes on', async () => {
  const wallet = await net.wallet();
  const honest = await net.checkout(wallet);
  await net.blocks(1);
  for (const provider of net.fake.providers) provider.omits = 1;
  const poison = net.transaction(wallet.address, 35_000_000n);
  net.send(poison, net.transaction(wallet.address, honest.amountUnits));
  await net.blocks(6);
  for (const provider of net.fake.providers) provider.omits = 0;
  await poisonStoring(poison.hash);

  let last: RescanProgress | undefined;
  for await (const progress of rescan(net.ctx, 'base', BigInt(net.ledger.highest - 8))) last = progress;
  expect(last).toMatchObject({ found: 1, setAside: 1 });
  expect(await net.status(honest)).toBe('paid');
  expect(await setAsideTransactions(net.app.merchant.live)).toContainEqual(
    expect.objectContaining({ tx_hash: poison.hash }),
  );
});

test('a transaction that could not be stored is deleted after 90 days', async () => {
  const hashes = () =>
    net.app.ctx.db.query('test_kept', `select tx_hash from set_aside_transactions where tx_hash like 'kept%'`);
  for (const days of [89, 91])
    await net.app.ctx.db.query(
      'test_age',
      `insert into set_aside_transactions (network, tx_hash, to_addresses, block_number, error, at)
        values ('base', $1, '{none}', 1, 'poisoned', $2)`,
      [`kept ${days}`, later(net.now, -days * DAY_MS)],
    );
  await prune(net.ctx, new AbortController().signal);
  expect(await hashes()).toEqual([{ txHash: 'kept 89' }]);
});

test('however much waits in the queue of one address, another is served in the same turn', async () => {
  const [flooded, quiet] = [await net.wallet(), await net.wallet()];
  const honest = await net.checkout(quiet);
  await net.checkout(flooded);
  await net.blocks(1);
  for (let at = 0; at < 10; at += 1)
    net.send(
      net.transaction(flooded.address, ...Array.from({ length: 40 }, (_, one) => 20_000_000n + BigInt(at * 40 + one))),
    );
  net.send(net.transaction(quiet.address, honest.amountUnits));
  await net.blocks(4);
  expect(await net.status(honest)).toBe('paid');
});

test('money without a payment becomes final with its block, and is verified by itself once it is assigned', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const sent = net.transaction(wallet.address, 77_000_000n);
  net.send(sent);
  let checks = 0;
  net.use({
    check: (...asked) => {
      // Others may be asked about: what a provider invented before.
      if (asked[0].txHash === sent.hash) checks += 1;
      return net.fake.chain.check(...asked);
    },
  });
  await net.blocks(6);
  const statusOf = async () =>
    (
      await net.app.ctx.db.query<{ id: string; status: string }>(
        'test_status',
        'select id, status from transfers where tx_hash = $1',
        [sent.hash],
      )
    )[0];
  expect([(await statusOf())?.status, checks]).toEqual(['final', 0]);

  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${meant.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await statusOf())?.id}/assign`, { payment });
  expect(await net.status(meant)).toBe('pending');
  await net.watch();
  expect(checks).toBeGreaterThan(0);
  expect(await net.status(meant)).toBe('paid');
  net.use({});
});

test('dust that matches nothing is counted by the hour and not stored; a remainder that small is', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const dust = net.transaction(wallet.address, ...Array.from({ length: 100 }, () => 1n));
  net.send(dust, net.transaction(wallet.address, meant.amountUnits - 5_000n));
  await net.blocks(6);
  expect(await stored(dust.hash)).toEqual([]);
  expect(await activity(wallet.address)).toEqual([{ stored: 1, skipped: 0, dust: 100, dustUnits: 100n }]);

  const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${meant.id}`);
  const due = BigInt((body.data.payment.amount_due ?? '0').replace('.', ''));
  if (body.data.status !== 'paid') {
    net.send(net.transaction(wallet.address, due));
    await net.blocks(5);
  }
  expect(await net.status(meant)).toBe('paid');
});

test('an unproved address lists a limited number of transfers an hour, a shared one fewer; payments to it are found all the same', async () => {
  const [busy, proved] = [await net.wallet(), await net.wallet()];
  const honest = await net.checkout(busy);
  await net.checkout(proved);
  await proveWallet(net.app.ctx.db, proved.id);
  // A second account saves this address, so it may be an exchange's.
  const shared = await net.wallet();
  await net.checkout(shared);
  await net.wallet((await net.app.newMerchant()).live, shared.address);
  await net.blocks(1);
  const many = (to: string) =>
    Array.from({ length: 15 }, (_, at) =>
      net.transaction(to, ...Array.from({ length: 40 }, (_, one) => 30_000_000n + BigInt(at * 40 + one))),
    );
  net.send(
    ...many(busy.address),
    ...many(proved.address),
    ...many(shared.address).slice(0, 2),
    net.transaction(busy.address, honest.amountUnits),
  );
  await net.blocks(5);

  expect(await net.status(honest)).toBe('paid');
  const [counted] = await activity(busy.address);
  expect(counted?.stored).toBeLessThanOrEqual(MAX_LISTED_PER_HOUR + 1);
  expect((counted?.stored ?? 0) + (counted?.skipped ?? 0)).toBe(601);
  expect(await activity(proved.address)).toMatchObject([{ stored: 600, skipped: 0 }]);
  expect(await activity(shared.address)).toMatchObject([
    { stored: MAX_LISTED_UNPROVED_PER_HOUR, skipped: 80 - MAX_LISTED_UNPROVED_PER_HOUR },
  ]);
});

test('one transaction lists no more than its address allows, whichever account claims it and however often it is read', async () => {
  const busy = await net.wallet();
  const honest = await net.checkout(busy);
  await net.blocks(1);
  const flood = net.transaction(
    busy.address,
    ...Array.from({ length: MAX_LISTED_PER_HOUR + 100 }, (_, at) => 30_000_000n + BigInt(at)),
  );
  const dust = net.transaction(busy.address, ...Array.from({ length: 20 }, () => 1n));
  const stranger = privateKeyToAccount(`0x${'7'.repeat(64)}`);
  for (const { hash } of [flood, dust]) {
    const signature = await stranger.signMessage({
      message: claimText({ sessionId: honest.id, network: 'base', txHash: hash }),
    });
    const { status } = await net.app.inject('POST', `/v1/public/checkout/sessions/${honest.id}/transactions`, {
      body: { tx_hash: hash, signature },
    });
    expect(status).toBeLessThan(300);
  }
  net.send(flood, dust, net.transaction(busy.address, honest.amountUnits));
  await net.blocks(5);

  expect(await net.status(honest)).toBe('paid');
  const count = async (hash: string) =>
    (
      await net.app.ctx.db.query<{ count: bigint }>(
        'test_count_rows',
        'select count(*) from transfers where tx_hash = $1',
        [hash],
      )
    )[0]?.count;
  expect(await count(flood.hash)).toBeLessThanOrEqual(BigInt(MAX_LISTED_PER_HOUR));
  expect(await count(dust.hash)).toBe(0n);
});

test('no window ends while something that came in time still waits for its attribution', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(2);
  const payment = await paymentOfSession(net.app.ctx.db, meant.id);
  const poison = net.transaction(wallet.address, meant.amountUnits);
  net.send(poison);
  await net.blocks(1);
  await net.app.ctx.db.query(
    'test_queue',
    'update transfers set queued = true, payment_id = null, target_id = null, attributed_by = null where tx_hash = $1',
    [poison.hash],
  );

  const end = later(net.now, 7_300_000);
  await net.app.ctx.db.query('test_cover', 'update chain_cursors set block_time = $1', [end]);
  const close = () =>
    net.ctx.db.transaction((db) => closeWindow(net.ctx, db, payment, { created: end, recorded: end }));
  expect(await close()).toBe(false);
  await net.app.ctx.db.query(
    'test_dequeue',
    `update transfers set queued = false, status = 'dropped' where tx_hash = $1`,
    [poison.hash],
  );
  expect(await close()).toBe(true);
});

/** From now on the database rejects what attribution writes for a transaction. */
async function poisonAttribution(hash: string): Promise<void> {
  await poison(hash, 'update', `new.queued is distinct from old.queued and new.set_aside_at is null`);
}

async function poisonStoring(hash: string): Promise<void> {
  await poison(hash, 'insert', 'true');
}

async function poison(hash: string, when: 'insert' | 'update', condition: string): Promise<void> {
  const { db } = net.app.ctx;
  await db.query(
    `test_poison_function ${hash.slice(0, 20)}`,
    `
    create or replace function test_poison() returns trigger language plpgsql as $$
    begin
      if new.tx_hash = '${hash}' and ${condition} then raise exception 'poisoned'; end if;
      return new;
    end $$`,
  );
  await db.query(
    `test_poison_${when}`,
    `create trigger test_poison before ${when} on transfers for each row execute function test_poison()`,
  );
}

async function removePoison(): Promise<void> {
  await net.app.ctx.db.query('test_remove_poison', 'drop trigger if exists test_poison on transfers');
}

function stored(hash: string) {
  return net.app.ctx.db.query(
    'test_stored',
    'select queued, set_aside_at is not null as is_set_aside, payment_id from transfers where tx_hash = $1 order by index',
    [hash],
  );
}

/** The set-aside transactions on a merchant's dashboard. */
async function setAsideTransactions(merchant: Merchant) {
  const { status, body, raw } = await net.app.inject('GET', '/dashboard/api/attention', {
    headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': merchant.livemode ? 'live' : 'test' },
  });
  if (status !== 200) throw new Error(`${status} ${raw}`);
  return body.data.set_aside_transactions;
}

function activity(address: string) {
  return net.app.ctx.db.query<{ stored: number; skipped: number; dust: number; dustUnits: bigint }>(
    'test_activity',
    `
    select sum(stored)::integer as stored, sum(skipped)::integer as skipped, sum(dust)::integer as dust, sum(dust_units) as dust_units
      from address_activity where address = $1`,
    [address],
  );
}
