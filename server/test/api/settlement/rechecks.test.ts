import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { closeWindow } from '../../../src/settlement/outcome/expire.ts';
import { markForRecheckAbove } from '../../../src/settlement/records/rechecked-store.ts';
import { paymentOfSession, referenceOf } from '../../support/payments.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';
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
