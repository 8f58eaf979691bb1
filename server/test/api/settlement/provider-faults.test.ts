import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rescan } from '../../../src/settlement/rescan.ts';
import { type FakeProvider, removeFaults, runAhead } from '../../programs/simulation/fake-provider.ts';
import { ChainPerTest } from './chain-per-test.ts';

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
  if (!honest || !liar) throw new Error('there are none');
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

test('an operator who reads again from a block on reads that block as well, and none past the last one asked for', async () => {
  const [one, other] = [await shop.checkout(), await shop.checkout()];
  for (const provider of shop.fake.providers) provider.omits = 1;
  shop.ledger.send(shop.transfer(one.amountUnits));
  await shop.blocks(1);
  const first = BigInt(shop.ledger.blocks.length - 1);
  shop.ledger.send(shop.transfer(other.amountUnits));
  await shop.blocks(8);
  for (const provider of shop.fake.providers) provider.omits = 0;

  for (let round = 0; round < 2; round += 1) for await (const _ of rescan(shop.ctx, 'base', first, first));
  expect([await shop.status(one), await shop.status(other)]).toEqual(['paid', 'pending']);
  for await (const _ of rescan(shop.ctx, 'base', first));
  expect([await shop.status(one), await shop.status(other)]).toEqual(['paid', 'paid']);
});
