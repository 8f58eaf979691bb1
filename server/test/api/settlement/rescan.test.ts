import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rescan, type RescanProgress } from '../../../src/settlement/rescan.ts';
import { ChainPerTest } from './chain-per-test.ts';

let shop: ChainPerTest;
beforeAll(async () => {
  shop = await ChainPerTest.start();
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('money that all providers left out', () => {
  test.each([
    ['the first of two', 2, [1, 0]],
    ['the second of two', 2, [0, 1]],
    ['two of three', 3, [1, 0, 1]],
  ] as const)('is found by a rescan while %s still leaves it out', async (_, count, omits) => {
    const { payment, from } = await missed(count);
    for (const [at, provider] of shop.fake.providers.entries()) provider.omits = omits[at] as number;
    expect(await read(from)).toMatchObject({ found: 1, readByOne: 0 });
    if (count === 2) expect(await shop.status(payment)).toBe('paid');
    else expect(await shop.seen(payment)).toBe(payment.amountUnits);
  });

  test.each([
    ['two', 2],
    ['three', 3],
  ])('is missed by a rescan that only one of %s answers, which says so', async (_, count) => {
    const { payment, from } = await missed(count);
    for (const [at, provider] of shop.fake.providers.entries()) {
      provider.omits = at === 0 ? 1 : 0;
      provider.isDown = at > 0;
    }
    const blocks = shop.ledger.blocks.length - Number(from);
    expect(await read(from)).toMatchObject({ found: 0, readByOne: blocks });
    expect(await shop.status(payment)).toBe('pending');
  });

  test('is found by a rescan of a single provider, which nothing could compare', async () => {
    const { payment, from } = await missed(1);
    for (const provider of shop.fake.providers) provider.omits = 0;
    expect(await read(from)).toMatchObject({ found: 1, readByOne: 0 });
    expect(await shop.status(payment)).toBe('paid');
  });
});

test('a rescan from a time whose blocks no provider has says so, and reads no later part as if it were all', async () => {
  const { from } = await missed(2);
  const { chain } = shop.fake;
  const [time, oldest] = [shop.ledger.blocks[3]?.time as Date, await chain.block(from)];
  const blockAt: typeof chain.blockAt = async () => ({ ...(oldest as NonNullable<typeof oldest>), provider: 'any' });
  const pruned = { ...shop.ctx, chains: new Map([['base' as const, { ...chain, blockAt }]]) };
  const read = (ctx: typeof shop.ctx) => rescan(ctx, 'base', time).next();
  await expect(read(pruned)).rejects.toThrow(`--from ${from}`);
  expect(await read(shop.ctx)).toMatchObject({ done: false });
});

/** A payment that no provider shows, and the block before it. */
async function missed(providers: number) {
  await shop.begin(providers);
  const payment = await shop.checkout();
  for (const provider of shop.fake.providers) provider.omits = 1;
  const from = BigInt(shop.ledger.blocks.length);
  await shop.blocks(2);
  shop.ledger.send(shop.transfer(payment.amountUnits));
  await shop.blocks(8);
  expect(await shop.seen(payment)).toBe(0n);
  return { payment, from };
}

async function read(from: bigint): Promise<RescanProgress | undefined> {
  let last: RescanProgress | undefined;
  for await (const progress of rescan(shop.ctx, 'base', from)) last = progress;
  return last;
}
