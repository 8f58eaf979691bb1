import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { later } from '../../../src/platform/time.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/settlement/reading/cursor-store.ts';
import { rescan } from '../../../src/settlement/rescan.ts';
import { type FakeProvider, removeFaults, runAhead } from '../../programs/simulation/fake-provider.ts';
import { ChainPerTest, withAmount } from './chain-per-test.ts';

let shop: ChainPerTest;
beforeAll(async () => {
  shop = await ChainPerTest.start();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => shop.begin(2));

test('a reader that followed a provider far beyond the head reads the real blocks, though it had none of them', async () => {
  await shop.begin(1);
  const one = await shop.checkout();
  await shop.blocks(2);
  const [provider] = shop.fake.providers as [FakeProvider];
  // A new process knows no head that would warn it, and reads all invented blocks in one step.
  shop.fake.restart();
  shop.fake.widestWindow = 1_000_000;
  runAhead(provider, shop.ledger, shop.random, { leaves: true, count: 900, txs: [] });
  await shop.blocks(1);
  expect((await shop.cursors())[0]?.blockNumber).toBeGreaterThan(BigInt(shop.ledger.blocks.length + 800));

  removeFaults(provider);
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(12);
  expect(await shop.status(one)).toBe('paid');
});

test('a read that covers nothing does not change by whom the blocks before it were read', async () => {
  await shop.checkout();
  await shop.blocks(2);
  const readers = () =>
    shop.ctx.db.query('test_readers', `select number, provider from chain_blocks where pass = 'first' order by number`);
  const before = await readers();
  const { chain } = shop.fake;
  const read: typeof chain.read = async (step) =>
    step.pass === 'first'
      ? { transfers: [], reverted: [], covered: step.after, provider: 'provider 1' }
      : chain.read(step);
  shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...chain, read }]]) };
  await shop.blocks(2);
  expect(await readers()).toEqual(before);
});

test('when only one provider is left, the second pass waits until another one answers', async () => {
  await shop.checkout({ expires_in: 86_400 });
  await shop.blocks(2);
  const [, other] = shop.fake.providers as [FakeProvider, FakeProvider];
  const waits = () =>
    shop.ctx.db.query<{ waits: boolean }>(
      'test_waits',
      `select waits_for_provider as waits from chain_cursors where pass = 'second'`,
    );
  other.isDown = true;
  await shop.blocks(10);
  expect(await waits()).toEqual([{ waits: true }]);
  other.isDown = false;
  await shop.blocks(2);
  expect(await waits()).toEqual([{ waits: false }]);

  // The next holder of the lease may reach what this one could not.
  await shop.ctx.db.query('test_wait', `update chain_cursors set waits_for_provider = true, lease_until = null`);
  await acquireLease(shop.ctx.db, 'base', 'the next holder', { now: shop.now, until: later(shop.now, 10_000) });
  expect(await waits()).toEqual([{ waits: false }]);
});

test('a lease that was given back while only one provider answers is taken by the next process', async () => {
  await shop.checkout({ expires_in: 86_400 });
  await shop.blocks(2);
  const [, other] = shop.fake.providers as [FakeProvider, FakeProvider];
  other.isDown = true;
  await shop.blocks(10);
  const [held] = await shop.ctx.db.query<Lease>('test_held', `select network, holder, token from chain_cursors`);
  await releaseLease(shop.ctx.db, held as Lease);
  const [before] = await shop.cursors();
  await shop.blocks(2);
  expect((await shop.cursors())[0]?.blockNumber).toBe((before?.blockNumber ?? 0n) + 2n);
});

test('a single provider that left something out is asked for it a second time', async () => {
  await shop.begin(1);
  const one = await shop.checkout({ expires_in: 86_400 });
  const [provider] = shop.fake.providers;
  if (!provider) throw new Error('provider not found');
  provider.omits = 1;
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(3);
  expect(await shop.status(one)).toBe('pending');

  provider.omits = 0;
  await shop.blocks(70);
  expect(await shop.status(one)).toBe('paid');
});

test('providers that contradict each other raise no alarm for a moment, and one after long', async () => {
  const one = await shop.checkout();
  const [, other] = shop.fake.providers;
  if (!other) throw new Error('provider not found');
  await shop.blocks(1);
  other.invents.push(shop.transfer(one.amountUnits));
  while ((await shop.seen(one)) !== one.amountUnits) await shop.blocks(1);
  // It keeps reporting its invented transfer, in the block where it was last read.
  other.omits = 1;
  await shop.blocks(4);
  expect(shop.alarms()).toHaveLength(0);
  await shop.blocks(20);
  expect(shop.alarms().length).toBeGreaterThan(0);
  expect(await shop.status(one)).toBe('pending');
});

test('a contradicted transfer is not paid while the contradicting provider is unreachable, however small it is', async () => {
  const one = await shop.checkout();
  const [honest, liar] = shop.fake.providers;
  if (!honest || !liar) throw new Error('provider not found');
  await shop.blocks(1);
  liar.invents.push(shop.transfer(one.amountUnits));
  await shop.blocks(16);
  expect(await shop.seen(one)).toBe(one.amountUnits);
  // It keeps reporting its invented transfer, in the block where it was last read.
  liar.omits = 1;
  await shop.blocks(6);
  honest.isDown = true;
  await shop.blocks(90);
  expect(await shop.status(one)).toBe('pending');
});

test('one of three providers that reports another amount, as long as it likes, hides nothing', async () => {
  await shop.begin(3);
  const [one, other] = [await shop.checkout(), await shop.checkout()];
  const tx = shop.transfer(one.amountUnits);
  const [liar] = shop.fake.providers as [FakeProvider];
  const { sync } = shop.fake;
  shop.fake.sync = () => {
    sync();
    const amountUnits = other.amountUnits + BigInt(shop.ledger.blocks.length % 2);
    liar.view = liar.view.map((block) => ({
      ...block,
      txs: block.txs.map((known) => (known.hash === tx.hash ? withAmount(known, amountUnits) : known)),
    }));
  };
  shop.ledger.send(tx);
  await shop.blocks(12);
  expect([await shop.status(one), await shop.status(other)]).toEqual(['paid', 'pending']);
});

test('what a transaction does instead, in a block that both passes have read, is looked up once', async () => {
  const [one, other] = [await shop.checkout(), await shop.checkout()];
  const tx = shop.transfer(one.amountUnits);
  const { chain, providers, sync } = shop.fake;
  // As on Solana, where a provider that denies a transfer does not say what its transaction does instead.
  const check: typeof chain.check = async (...asked) => {
    const verdict = await chain.check(...asked);
    return verdict.type === 'gone' ? { type: 'gone' } : verdict;
  };
  shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...chain, check }]]) };
  shop.ledger.send(tx);
  await shop.blocks(2);
  expect(await shop.seen(one)).toBe(one.amountUnits);

  shop.fake.sync = () => {
    sync();
    for (const provider of providers)
      provider.view = provider.view.map((block) => ({
        ...block,
        txs: block.txs.map((known) => (known.hash === tx.hash ? withAmount(known, other.amountUnits) : known)),
      }));
  };
  await shop.blocks(12);
  expect([await shop.status(one), await shop.status(other)]).toEqual(['pending', 'paid']);
});

test('an operator who reads again from a block on reads that block as well, and none past the last one asked for', async () => {
  const [one, other] = [await shop.checkout(), await shop.checkout()];
  for (const provider of shop.fake.providers) provider.omits = 1;
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(1);
  const first = BigInt(shop.ledger.blocks.length - 1);
  shop.ledger.send(shop.transfer(other.amountUnits));
  await shop.blocks(8);
  for (const provider of shop.fake.providers) provider.omits = 0;

  for (let round = 0; round < 2; round += 1) for await (const _ of rescan(shop.ctx, 'base', first, { to: first }));
  expect([await shop.status(one), await shop.status(other)]).toEqual(['paid', 'pending']);
  for await (const _ of rescan(shop.ctx, 'base', first));
  expect([await shop.status(one), await shop.status(other)]).toEqual(['paid', 'paid']);
});

test('a rescan that no provider serves to its end says so, and may be repeated from where it stopped', async () => {
  const one = await shop.checkout();
  for (const provider of shop.fake.providers) provider.omits = 1;
  const first = BigInt(shop.ledger.blocks.length);
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(8);
  for (const provider of shop.fake.providers) provider.omits = 0;

  const { chain } = shop.fake;
  const read: typeof chain.read = async (step) =>
    step.after.number < first
      ? chain.read({ ...step, until: { ...step.until, number: first } })
      : { transfers: [], reverted: [], covered: step.after, provider: 'provider 1', isStalled: true };
  const partly = { ...shop.ctx, chains: new Map([['base' as const, { ...chain, read }]]) };
  const rescanAll = async (ctx: typeof shop.ctx) => {
    for await (const _ of rescan(ctx, 'base', first, { retryPauseMs: 0 }));
  };
  await expect(rescanAll(partly)).rejects.toThrow(`serves blocks after ${first}`);
  expect(await shop.status(one)).toBe('pending');

  await rescanAll(shop.ctx);
  expect(await shop.status(one)).toBe('paid');
});

test('a provider that was alone when reading began, and named a late block, hides nothing once another one answers', async () => {
  const paid = await shop.checkout({ expires_in: 86_400 });
  const unpaid = await shop.checkout({ expires_in: 1_800 });
  shop.ledger.send(shop.transfer(paid.amountUnits));
  const [liar, honest] = shop.fake.providers as [FakeProvider, FakeProvider];
  liar.changes = { field: 'start', digits: '' };
  honest.isDown = true;
  await shop.blocks(100);
  await expiryJob.run(shop.ctx, new AbortController().signal, () => {});
  // The first pass alone decides what has been read, although the second one has never begun.
  expect(await shop.status(unpaid)).toBe('expired');
  expect(await shop.status(paid)).toBe('pending');

  honest.isDown = false;
  await shop.blocks(12);
  expect(await shop.status(paid)).toBe('paid');
});

test('a transfer that one of three providers invents, each time in another block, is gone for good', async () => {
  await shop.begin(3);
  const one = await shop.checkout();
  const [liar] = shop.fake.providers as [FakeProvider];
  await shop.blocks(1);
  const tx = shop.transfer(one.amountUnits);
  liar.invents.push(tx);
  while ((await shop.seen(one)) !== one.amountUnits) await shop.blocks(1);
  // Its readings leave it out. A look at its transaction finds it in the newest block.
  liar.omits = 1;
  await shop.blocks(12);
  expect(await shop.seen(one)).toBe(0n);
});

test('a transfer that is gone, and cannot be dropped, holds up no other one', async () => {
  await shop.checkout();
  const sent = [shop.transfer(3_000_000n), shop.transfer(4_000_000n)];
  for (const tx of sent) shop.ledger.send(tx);
  await shop.blocks(2);
  const { chain } = shop.fake;
  let failing: string | undefined;
  const replacements: typeof chain.replacements = async (gone) => {
    failing ??= gone.txHash;
    if (gone.txHash === failing) throw new Error('out of range for type bigint');
    return [];
  };
  const check: typeof chain.check = async () => ({ type: 'gone' });
  shop.ctx = { ...shop.ctx, chains: new Map([['base', { ...chain, replacements, check }]]) };
  // As after a reorganization that no pass has noticed.
  await shop.app.ctx.db.query(
    'test_orphaned',
    "update transfers set block_hash = '0x' || block_hash where tx_hash = any($1)",
    [sent.map(({ hash }) => hash)],
  );
  await shop.blocks(8);
  const status = async (isFailing: boolean) =>
    (await shop.whose(sent.find(({ hash }) => (hash === failing) === isFailing) as (typeof sent)[0])).status;
  expect([await status(true), await status(false)]).toEqual(['seen', 'dropped']);
});
