import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/platform/db/db.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, transferCalldata, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { randomFrom } from '../support/random.ts';
import { recording } from '../support/recording.ts';
import { type Checkout, type Settlement, startSettlement } from '../support/settlement.ts';

// A few by default; for many, at most 200 at one wallet: REORG_SEEDS=200 REORG_FROM=1 npx vitest run
// server/test/journeys/watching.test.ts
const REORG_SEEDS = Number(process.env.REORG_SEEDS ?? 6);
const FIRST_SEED = Number(process.env.REORG_FROM ?? 1);
const KILLS = Number(process.env.WATCHER_KILLS ?? 40);

describe('reorgs', () => {
  let shop: Settlement;
  let lines: Record<string, unknown>[];
  const CONFIRMATIONS = 70;

  beforeAll(async () => {
    lines = [];
    shop = await startSettlement({ confirmations: CONFIRMATIONS, overrides: { log: recording(lines) } });
    // So that no reorg removes the token itself.
    await shop.chain.mine(70);
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test.each(Array.from({ length: REORG_SEEDS }, (_, at) => at + FIRST_SEED))(
    'a payment is paid exactly if its transfer is on the canonical chain in the end, and reported once (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      // All depths from 1 to 64 within 64 seeds.
      const depth = 1 + ((seed * 37) % 64);
      const checkouts: (Checkout & {
        from: Address;
        tags: { tag?: Uint8Array };
        hash: string;
        signed: `0x${string}`;
      })[] = [];
      for (const payer of shop.chain.accounts.slice(1, 7)) {
        // Manually mined blocks come faster than time, and nothing may expire meanwhile.
        const checkout = await shop.checkout({ expires_in: 2_000_000 });
        const from = payer.address as Address;
        const tags = random() < 0.3 ? { tag: checkout.tag } : {};
        const hash = await shop.send(checkout.amountUnits, { from, ...tags, mine: false });
        checkouts.push({ ...checkout, from, tags, hash, signed: await shop.chain.signed(hash as `0x${string}`) });
        if (random() < 0.6) await shop.chain.mine(1 + Math.floor(random() * 3));
        if (random() < 0.4) await shop.watch();
      }
      await shop.chain.mine(1 + Math.floor(random() * 4));
      await shop.watch();

      const { number } = await shop.chain.head();
      const undone: typeof checkouts = [];
      for (const checkout of checkouts)
        if ((await shop.chain.included(checkout.hash as `0x${string}`)).blockNumber > number - BigInt(depth))
          undone.push(checkout);
      // Some move, some are sent again with more gas, some are replaced by another amount, the others disappear.
      const fates = new Map(undone.map((checkout) => [checkout, random()]));
      const fated = (least: number, most: number) =>
        undone.filter((checkout) => least <= (fates.get(checkout) ?? 1) && (fates.get(checkout) ?? 1) < most);
      const [moved, sentAgain, changed] = [fated(0, 0.4), fated(0.4, 0.6), fated(0.6, 0.75)];
      await shop.chain.reorg(depth, [
        ...moved.map(({ signed }) => ({ block: Math.floor(random() * depth), transaction: signed })),
        ...sentAgain.map(({ from, amountUnits, tags }) => ({
          block: Math.floor(random() * depth),
          transaction: {
            from,
            to: shop.usdc,
            data: transferCalldata(shop.wallet, amountUnits, tags.tag),
            gas: 900_000n,
          },
        })),
        ...changed.map(({ from, amountUnits }) => ({
          block: Math.floor(random() * depth),
          transaction: { from, to: shop.usdc, data: transferCalldata(shop.wallet, amountUnits * 2n), gas: 900_000n },
        })),
        {
          block: 0,
          transaction: {
            from: shop.chain.accounts[0]?.address as Address,
            to: shop.usdc,
            data: transferCalldata(shop.wallet, 0n),
          },
        },
      ]);
      await shop.watch();
      if (random() < 0.5) await shop.chain.mine(2);
      await shop.watch();
      await shop.settle();

      for (const checkout of checkouts) {
        const receipt = await shop.chain.rpc<{ status: string } | null>('eth_getTransactionReceipt', [checkout.hash]);
        const stands = receipt?.status === '0x1';
        const isPaid = stands || sentAgain.includes(checkout);
        expect(await shop.walk(checkout.id), `seed ${seed}, depth ${depth}`).toEqual(
          isPaid ? ['created', 'pending', 'paid'] : ['created', 'pending'],
        );
        const { tx_hashes: hashes } = await shop.payment(checkout.id);
        if (stands) expect(hashes).toEqual([checkout.hash]);
        else
          expect(hashes, `seed ${seed}, depth ${depth}`).toEqual(
            isPaid ? [expect.not.stringMatching(checkout.hash)] : [],
          );
      }
    },
  );

  test('a reorg deeper than finality keeps the payment paid and raises an alarm', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 2_000_000 });
    const hash = await shop.send(amountUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');

    const { number } = await shop.chain.head();
    const { blockNumber } = await shop.chain.included(hash as `0x${string}`);
    await shop.chain.reorg(Number(number - blockNumber) + 1);
    await shop.chain.mine();
    while ((await shop.watch()) === 'more');

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect(lines.filter((line) => line.alarm === 'gone_after_final')).toMatchObject([{ txHash: hash }]);
  });
});

describe('two providers', () => {
  let chain: TestChain;
  let one: RpcProxy;
  let two: RpcProxy;
  let shop: Settlement;
  const lines: Record<string, unknown>[] = [];

  beforeAll(async () => {
    chain = await startAnvil();
    [one, two] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)];
    shop = await startSettlement({
      chain,
      env: { RPC_ETHEREUM_URLS: `${one.url},${two.url}` },
      overrides: { log: recording(lines) },
    });
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await Promise.all([one.stop(), two.stop(), chain.stop()]);
  });

  test('agree before anything is paid, and the evidence names them', async () => {
    const { id, amountUnits } = await shop.checkout();
    await shop.send(amountUnits);
    await shop.settle();
    const payment = await shop.payment(id);
    expect(payment.status).toBe('paid');
    const { entries } = await shop.merchant.get(`/payments/${payment.id}/timeline`);
    expect(
      entries.find((entry: { data: { status?: string } }) => entry.data.status === 'paid').data.providers,
    ).toHaveLength(2);
  });

  test('of which one invents a transfer pay nothing', async () => {
    const { id, amountUnits } = await shop.checkout();
    one.forge = { token: shop.usdc, to: shop.wallet, amountUnits };
    one.suffer('forged_transfer');
    for (let round = 0; round < 4; round += 1) {
      await shop.chain.mine(2);
      await shop.watch().catch(() => {});
    }
    expect((await shop.payment(id)).status).toBe('pending');
    one.suffer(null);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('pending');
    expect(await shop.walk(id)).toEqual(['created', 'pending']);
  });

  test('both must have read past the end before anything that is pending expires', async () => {
    const { id } = await shop.checkout({ expires_in: 600 });
    await shop.watch();
    two.suffer('http_500');
    await shop.pass(700);
    await shop.watch();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');

    two.suffer(null);
    await shop.watch();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('expired');
  });

  /** The service with a provider that omits a transfer in every first pass. */
  function firstLookWithout(txHash: string, beforeSecondLook = () => {}): Context {
    const real = shop.ctx.chains.get('ethereum') ?? missing();
    const read: typeof real.read = async (step) => {
      if (step.pass === 'second') beforeSecondLook();
      const reading = await real.read(step);
      return step.pass === 'second'
        ? reading
        : { ...reading, transfers: reading.transfers.filter((transfer) => transfer.txHash !== txHash) };
    };
    return { ...shop.ctx, chains: new Map([['ethereum', { ...real, read }]]) };
  }

  test('of which one leaves a transfer out: the second look finds what the first missed', async () => {
    const { id, amountUnits } = await shop.checkout();
    const ctx = firstLookWithout(await shop.send(amountUnits));
    await shop.chain.mine(5);
    const watcher = createWatcher('half blind');
    for (let round = 0; round < 3; round += 1) await tick(ctx, 'ethereum', watcher);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });

  test('late money is not judged while the second look could still find what came in time', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ expires_in: 600 });
    const inTime = await shop.send(amountUnits);
    let secondAnswers = false;
    const ctx = firstLookWithout(inTime, () => {
      if (!secondAnswers) throw new TemporaryError('silent');
    });
    const watcher = createWatcher('half blind');
    await shop.pass(700);
    await shop.send(amountUnits, { tag });
    await shop.chain.mine(4);
    for (let round = 0; round < 3; round += 1) await tick(ctx, 'ethereum', watcher);
    expect((await shop.payment(id)).status).toBe('pending');

    secondAnswers = true;
    for (let round = 0; round < 3; round += 1) await tick(ctx, 'ethereum', watcher);
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect((await shop.payment(id)).tx_hashes).toEqual([inTime]);
    await shop.passLease();
  });

  test('no provider answers for a day: nothing expires, nothing is missed', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 3600 });
    await shop.send(amountUnits);
    one.suffer('http_500');
    two.suffer('http_500');
    await shop.pass(86_400);
    await expect(shop.watch()).rejects.toThrow();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');

    one.suffer(null);
    two.suffer(null);
    await shop.settle();
    await shop.expire();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });
});

describe('watchers', () => {
  let shop: Settlement;
  beforeAll(async () => {
    shop = await startSettlement();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test(`are killed ${KILLS} times while payments arrive: every payment ends right, once`, async () => {
    const random = randomFrom(42);
    const checkouts: Checkout[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const checkout = await shop.checkout();
      checkouts.push(checkout);
      await shop.send(checkout.amountUnits, { mine: random() < 0.7 });
      // Each is a separate process that dies after some statements; the next one finds what it left.
      const dying = { ...shop.ctx, db: dyingAfter(shop.ctx.db, 1 + Math.floor(random() * 40)) };
      await tick(dying, 'ethereum', createWatcher(`killed ${kill}`)).catch(() => {});
      if (kill % 3 === 0) await shop.passLease();
    }
    await shop.passLease();
    await shop.settle();
    await shop.settle();
    for (const checkout of checkouts) expect(await shop.walk(checkout.id)).toEqual(['created', 'pending', 'paid']);
  });

  test('read a network one at a time, and nothing is announced twice when several try', async () => {
    const checkouts = await Promise.all(Array.from({ length: 10 }, () => shop.checkout()));
    for (const checkout of checkouts) await shop.send(checkout.amountUnits, { mine: false });
    await shop.chain.mine(4);
    const watchers = Array.from({ length: 4 }, (_, at) => createWatcher(`twin ${at}`));
    await shop.passLease();
    const [one, other] = watchers.map((watcher) => () => tick(shop.ctx, 'ethereum', watcher));
    await one?.();
    expect(await other?.()).toBe('elsewhere');
    for (let round = 0; round < 5; round += 1) {
      const ticks = await Promise.allSettled(watchers.map((watcher) => tick(shop.ctx, 'ethereum', watcher)));
      expect(ticks.filter((one) => one.status === 'fulfilled' && one.value !== 'elsewhere').length).toBeLessThanOrEqual(
        1,
      );
      await shop.chain.mine();
    }
    for (const checkout of checkouts) expect(await shop.walk(checkout.id)).toEqual(['created', 'pending', 'paid']);
    await shop.passLease();
  });

  test('that were paused cannot write over their successors', async () => {
    await shop.checkout();
    await shop.chain.mine(3);
    const real = shop.ctx.chains.get('ethereum') ?? missing();
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = {
      ...real,
      read: async (...args: Parameters<typeof real.read>) => {
        const reading = await real.read(...args);
        reached.resolve();
        await held.promise;
        return reading;
      },
    };
    const paused = tick(
      { ...shop.ctx, chains: new Map([['ethereum', slow]]) } as Context,
      'ethereum',
      createWatcher('paused'),
    );
    await reached.promise;
    await shop.passLease();
    await shop.chain.mine(3);
    await tick(shop.ctx, 'ethereum', createWatcher('successor'));
    const [before] = await cursor();

    held.resolve();
    await expect(paused).rejects.toThrow('another process reads ethereum now');
    expect(await cursor()).toEqual([before]);
    await shop.passLease();
  });

  test('catch up 1,000 blocks within a minute, and miss nothing in them', async () => {
    const checkouts: Checkout[] = [];
    for (let at = 0; at < 10; at += 1) {
      const checkout = await shop.checkout({ expires_in: 86_400 });
      checkouts.push(checkout);
      await shop.send(checkout.amountUnits);
      await shop.chain.mine(100);
    }
    const startedAt = performance.now();
    await shop.settle();
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    for (const checkout of checkouts) expect(await shop.walk(checkout.id)).toEqual(['created', 'pending', 'paid']);
  });

  function cursor() {
    return shop.ctx.db.query(
      'test_cursor',
      `select block_number, block_hash, holder, token from chain_cursors where network = 'ethereum' and pass = 'first'`,
    );
  }
});

/** A database whose process is killed after this number of statements, inside a transaction or between two. */
function dyingAfter(db: Database, statements: number): Database {
  let left = statements;
  const live = () => {
    if (left-- <= 0) throw new Error('killed');
  };
  return {
    ...db,
    query: async (...args) => {
      live();
      return db.query(...args) as never;
    },
    transaction: (work) =>
      db.transaction((inner) =>
        work({
          ...inner,
          query: async (...args) => {
            live();
            return inner.query(...args) as never;
          },
        }),
      ),
  };
}

function missing(): never {
  throw new Error('value not found');
}
