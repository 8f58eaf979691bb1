import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Verdict } from '../../../src/outside/chains/chain.ts';
import { DAY_MS, HOUR_MS, later } from '../../../src/platform/time.ts';
import { closeWindow } from '../../../src/settlement/outcome/expire.ts';
import { markForRecheckAbove } from '../../../src/settlement/records/rechecked-store.ts';
import { paymentOfSession, referenceOf } from '../../support/payments.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';
import { type FakeProvider, removeFaults } from '../../programs/simulation/fake-provider.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';

// A reorg deeper than finality marks final transfers for another check.
const MARKED = 500;
const PART_UNITS = 20_000_000n;

let net: FakeNetwork;
beforeEach(async () => {
  net = await FakeNetwork.start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await net[Symbol.asyncDispose]();
});

test('many marked transfers whose checks are slow do not delay a due payment', async () => {
  const wallet = await net.wallet();
  await mark(await settled(wallet), MARKED);
  const checked = slowChecks();
  const honest = await net.checkout(wallet);
  await net.blocks(1, 0);
  const due = net.transaction(wallet.address, honest.amountUnits);
  net.send(due);
  await net.blocks(5, 0);
  for (let turn = 0; turn < 10 && !checked.includes(due.hash); turn += 1) await net.watch(1);

  expect(await net.status(honest)).toBe('paid');
  // The turn before the payment was due, and its own: each ends after two seconds.
  expect(checked.filter(isMarked).length).toBeLessThanOrEqual(2 * 8 * 10);
  expect(checked.slice(checked.indexOf(due.hash)).filter(isMarked).length).toBeLessThanOrEqual(8);
});

test('marked transfers of one account do not keep those of another waiting, and undecided ones wait behind the others', async () => {
  const other = await net.app.newMerchant({ mode: 'live' });
  await mark(await settled(await net.wallet()), MARKED, 'busy');
  await mark(await settled(await net.wallet(other.live), other.live), 3, 'quiet');
  const checked = slowChecks();
  await net.watch(1);
  expect(checked.filter((hash) => hash.startsWith('quiet'))).toHaveLength(3);

  for (let turn = 0; turn < 90 && checked.length < MARKED + 3; turn += 1) await net.watch(1);
  expect(new Set(checked).size).toBe(MARKED + 3);
  expect(checked).toHaveLength(MARKED + 3);

  // After half a minute they are checked again, those that waited longest first.
  net.now = new Date(net.now.getTime() + 31_000);
  await net.watch(1);
  expect(checked).toHaveLength(MARKED + 3 + 8);
});

test('a marked transfer gets its verdict however deep it is when providers are back, and costs a check an hour until then', async () => {
  const hash = await settled(await net.wallet());
  await markDeep(hash);
  const checked: string[] = [];
  let isAway = true;
  net.use({
    check: async (transfer, ...more) => {
      checked.push(transfer.txHash);
      return isAway ? { type: 'wait', details: 'away' } : net.fake.chain.check(transfer, ...more);
    },
  });
  await net.watch(1);
  await net.minutes(59);
  expect(checked).toEqual([hash]);

  isAway = false;
  await net.minutes(2);
  expect(checked).toEqual([hash, hash]);
  expect(await transferOf(hash)).toEqual({ isMarked: false, isDeep: false });
});

test('money that no status has counted when a reorg marks it is counted, however deep it is when providers are back', async () => {
  const wallet = await net.wallet();
  const checkout = await net.checkout(wallet);
  await net.blocks(1);
  const sent = net.transaction(wallet.address, checkout.amountUnits);
  net.send(sent);
  await net.blocks(1);
  await markDeep(sent.hash);
  await net.minutes(2);
  expect(await net.status(checkout)).toBe('paid');
});

test('a part that a reorg puts in doubt while the rest is verified does not help to pay before it stands again', async () => {
  const { checkout, part, reference } = await paidInPart();
  const rest = net.transaction(checkout.wallet, checkout.amountUnits - PART_UNITS);
  for (const movement of rest.movements) movement.carried = [reference];
  let isMarked = false;
  net.use({
    check: async (transfer, ...more) => {
      if (transfer.txHash === rest.hash && !isMarked) {
        // The reading loop notices the reorg meanwhile.
        await markForRecheckAbove(net.app.ctx.db, 'base', (await blockOf(part)) - 1n);
        isMarked = true;
      }
      return net.fake.chain.check(transfer, ...more);
    },
  });
  net.send(rest);
  for (let mined = 0; mined < 10 && !isMarked; mined += 1) await net.blocks(1, 1);
  expect(isMarked).toBe(true);
  expect(await net.status(checkout)).toBe('pending');

  await net.minutes(2);
  expect(await net.status(checkout)).toBe('paid');
});

test('no window closes by the money that a reorg has put in doubt before it stands again', async () => {
  const { checkout, part } = await paidInPart();
  await markForRecheckAbove(net.app.ctx.db, 'base', (await blockOf(part)) - 1n);
  await net.closeAt(later(net.now, DAY_MS));
  expect(await net.status(checkout)).toBe('pending');
  // The job that has chosen the payment before it was marked closes it no more.
  const [now, id] = [later(net.now, DAY_MS), await paymentOfSession(net.app.ctx.db, checkout.id)];
  const at = { created: now, recorded: now };
  expect(await net.ctx.db.transaction((db) => closeWindow(net.ctx, db, id, at))).toBe(false);

  await net.minutes(2);
  await net.closeAt(later(net.now, DAY_MS));
  expect(await net.status(checkout)).toBe('refund_required');
});

test('the marked transfers of one transaction are checked with one set of answers', async () => {
  const wallet = await net.wallet();
  await mark(await settled(wallet), 40, 'one', true);
  const caches = new Set<unknown>();
  net.use({
    check: async (_transfer, _watching, cache) => {
      caches.add(cache);
      return { type: 'wait', details: '' };
    },
  });
  await net.watch(1);
  expect(caches.size).toBe(1);
});

test('a reorg deeper than finality with many payments: each is shown as disappeared, and none once it is back', async () => {
  const wallet = await net.wallet();
  const checkouts: FakeCheckout[] = [];
  for (let at = 0; at < 30; at += 1) checkouts.push(await net.checkout(wallet));
  await net.blocks(1);
  const sent: Tx[] = checkouts.map(({ amountUnits }) => net.transaction(wallet.address, amountUnits));
  net.send(...sent);
  await net.blocks(6);
  for (const checkout of checkouts) expect(await net.status(checkout)).toBe('paid');

  net.ledger.replace(8, []);
  await net.blocks(3);
  expect(await alerts()).toBe(30);

  net.send(...sent);
  await net.blocks(34);
  expect(await alerts()).toBe(0);
  for (const checkout of checkouts) expect(await net.status(checkout)).toBe('paid');
});

test('a transfer that disappeared and is back after an outage of a day is not missing any more', async () => {
  const wallet = await net.wallet();
  const checkout = await net.checkout(wallet);
  await net.blocks(1);
  const sent = net.transaction(wallet.address, checkout.amountUnits);
  net.send(sent);
  await net.blocks(6);
  net.ledger.replace(8, []);
  await net.blocks(3);
  expect(await alerts()).toBe(1);

  net.send(sent);
  net.now = later(net.now, 25 * HOUR_MS);
  net.ledger.mineUntil(net.now);
  await net.minutes(5);
  expect(await alerts()).toBe(0);
});

test('what has been missing for more than a day is asked for once an hour', async () => {
  const wallet = await net.wallet();
  const hash = await settled(wallet);
  await miss(hash, 26 * HOUR_MS);
  const checked = notIn(hash);
  await net.minutes(59);
  expect(checked).toHaveLength(1);
  await net.minutes(3);
  expect(checked).toHaveLength(2);
});

test('transfers that stay missing keep none from being asked for that is back', async () => {
  const wallet = await net.wallet();
  const hash = await settled(wallet);
  await miss(hash, HOUR_MS);
  // In newer blocks, and of the same account and address.
  await copyMissing(hash, 700);
  const checked = notIn('missing', { type: 'wait', details: 'asked again' });
  for (let turn = 0; turn < 4 && !checked.includes(hash); turn += 1) await net.minutes(1);
  expect(checked).toContain(hash);
});

test('a large payment whose transfer disappeared is shown as back by the tags that made it final', async () => {
  const { networks } = net.ctx.config;
  const base = { ...networks.base, confirmations: null };
  net.ctx = { ...net.ctx, config: { ...net.ctx.config, networks: { ...networks, base } } };
  const wallet = await net.wallet();
  const checkout = await net.checkout(wallet, net.app.merchant.live, { amount: '5000.00' });
  await net.blocks(1);
  const sent = net.transaction(wallet.address, checkout.amountUnits);
  net.send(sent);
  await net.blocks(40);
  expect(await net.status(checkout)).toBe('paid');
  net.ledger.replace(42, []);
  await net.blocks(3);
  expect(await alerts()).toBe(1);

  net.send(sent);
  await net.blocks(40);
  await net.minutes(3);
  expect(await alerts()).toBe(0);
});

test('a final transfer in doubt is not moved by one provider alone, however long the other one fails', async () => {
  const hash = await settled(await net.wallet());
  const { db } = net.app.ctx;
  const place = () =>
    db.query('test_place', 'select block_number, block_hash, block_time from transfers where tx_hash = $1', [hash]);
  const before = await place();
  const [liar, honest] = net.fake.providers as [FakeProvider, FakeProvider];
  liar.changes = { field: 'block', digits: '0123456789abcdef', onlyReports: true };
  honest.isDown = true;
  await markForRecheckAbove(db, 'base', 0n);
  await net.minutes(15);
  expect(await place()).toEqual(before);
  expect(await transferOf(hash)).toMatchObject({ isMarked: true });

  removeFaults(liar);
  await net.minutes(2);
  expect(await place()).toEqual(before);
  expect(await transferOf(hash)).toMatchObject({ isMarked: false });
});

/** This transfer has been missing for so long. */
async function miss(hash: string, ms: number): Promise<void> {
  const { db } = net.app.ctx;
  await db.query(
    'test_miss',
    `update transfers set evidence = evidence || jsonb_build_object('goneAfterFinal', $2::timestamptz) where tx_hash = $1`,
    [hash, later(net.now, -ms)],
  );
  await db.query(
    'test_alert',
    `update payments set settlement_alert =
            jsonb_build_object('type', 'transfer_disappeared', 'txHash', $1::text, 'detectedAt', $2::timestamptz)
      where id = (select payment_id from transfers where tx_hash = $1)`,
    [hash, later(net.now, -ms)],
  );
}

/** Copies of a missing transfer, in transactions and newer blocks of their own. */
async function copyMissing(hash: string, count: number): Promise<void> {
  await mark(hash, count, 'missing');
  await net.app.ctx.db.query(
    'test_only_missing',
    `update transfers set evidence = evidence - 'doubted', block_number = block_number + 1 where tx_hash like 'missing%'`,
    [],
  );
}

/** Providers give this verdict on transfers whose hash begins so. Returns the hashes that were asked for. */
function notIn(start: string, verdict: Verdict = { type: 'gone' }): string[] {
  const checked: string[] = [];
  net.use({
    check: async (transfer, ...more) => {
      checked.push(transfer.txHash);
      return transfer.txHash.startsWith(start) ? verdict : net.fake.chain.check(transfer, ...more);
    },
  });
  return checked;
}

/** The hash of the transfer of a paid checkout. */
async function settled(wallet: { id: string; address: string }, merchant = net.app.merchant.live): Promise<string> {
  const checkout = await net.checkout(wallet, merchant);
  await net.blocks(1);
  const sent = net.transaction(wallet.address, checkout.amountUnits);
  net.send(sent);
  await net.blocks(5);
  expect(await net.status(checkout)).toBe('paid');
  return sent.hash;
}

/** A checkout of which a part is final. */
async function paidInPart(): Promise<{ checkout: FakeCheckout; part: Tx; reference: Buffer }> {
  const checkout = await net.checkout(await net.wallet());
  const reference = await referenceOf(net.app.ctx.db, checkout.id);
  await net.blocks(1);
  const part = net.transaction(checkout.wallet, PART_UNITS);
  for (const movement of part.movements) movement.carried = [reference];
  net.send(part);
  await net.blocks(6);
  return { checkout, part, reference };
}

async function blockOf({ hash }: Tx): Promise<bigint> {
  const [row] = await net.app.ctx.db.query<{ blockNumber: bigint; status: string }>(
    'test_block_of',
    'select block_number, status from transfers where tx_hash = $1',
    [hash],
  );
  if (row?.status !== 'final') throw new Error('the transfer is not final');
  return row.blockNumber;
}

/** Copies of a final transfer that a reorg has marked, each in a transaction of its own or all in one. */
async function mark(hash: string, count: number, name = 'marked', isOneTransaction = false): Promise<void> {
  await net.app.ctx.db.query(
    'test_mark',
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, from_address, to_address, amount_units,
      block_number, block_hash, block_time,
                           carried, unproven, status, payment_id, attributed_by, evidence, first_seen_at, final_at, queued)
    select t.id || ' ' || $3 || at, livemode, network, case when $4::boolean then $3
      else $3 || ' ' || at end, at, asset, from_address, to_address, amount_units,
           block_number, block_hash, block_time, carried, unproven, status, payment_id, attributed_by,
             evidence || '{"doubted": true}', first_seen_at, final_at, queued
      from transfers t cross join generate_series(1, $2::integer) at
     where tx_hash = $1`,
    [hash, count, name, isOneTransaction],
  );
}

/** A reorg has marked this transfer, and its block has come to be far below those in which one is looked for. */
async function markDeep(hash: string): Promise<void> {
  await net.app.ctx.db.query(
    'test_mark_deep',
    `update transfers set status = 'final', final_at = first_seen_at, evidence = evidence || '{"doubted": true}',
            block_number = block_number - 100000 where tx_hash = $1`,
    [hash],
  );
}

async function transferOf(hash: string): Promise<{ isMarked: boolean; isDeep: boolean } | undefined> {
  const [row] = await net.app.ctx.db.query<{ isMarked: boolean; isDeep: boolean }>(
    'test_transfer',
    `select evidence ? 'doubted' as is_marked, block_number < (select min(number) from chain_blocks) as is_deep
       from transfers where tx_hash = $1`,
    [hash],
  );
  return row;
}

function isMarked(hash: string): boolean {
  return hash.startsWith('marked');
}

/** Lets each check of a marked transfer last a second and decide nothing. Returns the hashes that were checked. */
function slowChecks(): string[] {
  const checked: string[] = [];
  let slowMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + slowMs);
  net.use({
    check: async (transfer, ...more) => {
      checked.push(transfer.txHash);
      if (transfer.txHash.startsWith('0x')) return net.fake.chain.check(transfer, ...more);
      slowMs += 1_000;
      return { type: 'wait', details: 'a slow provider' };
    },
  });
  return checked;
}

async function alerts(): Promise<number> {
  const [row] = await net.app.ctx.db.query<{ count: number }>(
    'test_alerts',
    'select count(*)::integer as count from payments where settlement_alert is not null',
  );
  return row?.count ?? 0;
}
