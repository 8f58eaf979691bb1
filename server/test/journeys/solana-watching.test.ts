import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { createCrashable } from '../programs/simulation/crashable.ts';
import { randomFrom } from '../support/random.ts';
import { startSolana, type TestSolana } from '../support/solana/index.ts';
import { type SolanaRpcProxy, startSolanaRpcProxy } from '../support/solana/rpc-proxy.ts';
import { type SolanaCheckout, type SolanaShop, startSolanaShop } from '../support/solana/shop.ts';

// A few by default; for many: REORG_SEEDS=300 WATCHER_KILLS=200 WATCHER_PAYMENTS=1000 FIGURES=1 npx vitest run
// server/test/journeys/solana-watching.test.ts
const REORG_SEEDS = Number(process.env.REORG_SEEDS ?? 6);
const FIRST_SEED = Number(process.env.REORG_FROM ?? 1);
const KILLS = Number(process.env.WATCHER_KILLS ?? 30);
const PAYMENTS = Number(process.env.WATCHER_PAYMENTS ?? 40);

describe('forks', () => {
  let shop: SolanaShop;
  beforeAll(async () => {
    shop = await startSolanaShop({
      cluster: await startSolana({ finalizedLag: 32 }),
      env: { RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT: '100000' },
    });
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await shop.cluster.stop();
  });

  test.each(Array.from({ length: REORG_SEEDS }, (_, at) => at + FIRST_SEED))(
    'a payment is paid exactly if its transfer is on the canonical chain in the end, and reported once (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const depth = 1 + Math.floor(random() * 31);
      shop.cluster.slots(32);
      const checkouts: (SolanaCheckout & { hash: string })[] = [];
      for (let payment = 0; payment < 6; payment++) {
        const asset = random() < 0.5 ? 'USDC' : 'SOL';
        const checkout = await shop.checkout(asset);
        const options = { ...(random() < 0.3 ? { references: [checkout.reference] } : {}), close: random() < 0.5 };
        checkouts.push({
          ...checkout,
          hash:
            asset === 'USDC'
              ? await shop.sendUsdc(checkout.amountUnits, options)
              : await shop.sendSol(checkout.amountUnits, options),
        });
        if (random() < 0.6) shop.cluster.slots(1 + Math.floor(random() * 4), { skip: random() < 0.3 ? 1 : 0 });
        if (random() < 0.4) await shop.watch();
      }
      shop.cluster.slots(1 + Math.floor(random() * 4));
      await shop.watch();

      const again = checkouts
        .filter(() => random() < 0.5)
        .map(({ hash }) => ({ hash, slot: shop.cluster.ledger.transactions.get(hash)?.slot ?? 0n }))
        .filter(({ slot }) => slot > shop.cluster.head().number - BigInt(depth));
      shop.cluster.fork(
        depth,
        again.map(({ hash }) => ({ slot: Math.floor(random() * depth), signature: hash })),
      );
      await shop.watch();
      if (random() < 0.5) shop.cluster.slots(3);
      await shop.settle();

      for (const checkout of checkouts) {
        const stands = shop.cluster.ledger.transactions.get(checkout.hash)?.err === null;
        expect(await shop.walk(checkout.id), `seed ${seed}, depth ${depth}`).toEqual(
          stands ? ['created', 'pending', 'paid'] : ['created', 'pending'],
        );
        if (stands) expect((await shop.payment(checkout.id)).tx_hashes).toEqual([checkout.hash]);
      }
    },
  );
});

describe('two providers', () => {
  let cluster: TestSolana;
  let one: SolanaRpcProxy;
  let two: SolanaRpcProxy;
  let shop: SolanaShop;
  beforeAll(async () => {
    cluster = await startSolana();
    [one, two] = [await startSolanaRpcProxy(cluster.url), await startSolanaRpcProxy(cluster.url)];
    shop = await startSolanaShop({ cluster, rpcUrls: [one.url, two.url] });
  });
  afterEach(() => {
    one.suffer(null);
    two.suffer(null);
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await Promise.all([one.stop(), two.stop(), cluster.stop()]);
  });

  test('agree before anything is paid, and the timeline says who they were', async () => {
    const { id, amountUnits } = await shop.checkout();
    await shop.sendUsdc(amountUnits);
    await shop.settle();
    const payment = await shop.payment(id);
    const { entries } = await shop.merchant.get(`/payments/${payment.id}/timeline`);
    const paid = entries.find((entry: { data: { status?: string } }) => entry.data.status === 'paid');
    expect(paid.data.providers.sort()).toEqual([new URL(one.url).host, new URL(two.url).host].sort());
  });

  test('of which one invents a transfer pay nothing: it is held', async () => {
    const { id, amountUnits } = await shop.checkout('SOL');
    one.forge = { to: shop.wallet.address, amount: amountUnits };
    one.suffer('forged_transfer');
    for (let turn = 0; turn < 3; turn++) {
      cluster.slots(2);
      await shop.watch().catch(() => {});
    }
    expect((await shop.publicSession(id)).payment.amount_received).toBe('0.000000000');
    expect((await shop.payment(id)).status).toBe('pending');
  });

  test('of which one reports a failure that did not happen hold the payment until it recovers', async () => {
    const { id, amountUnits } = await shop.checkout();
    await shop.sendUsdc(amountUnits);
    await shop.watch();
    two.suffer('flipped_results');
    cluster.finalize();
    await shop.watch();
    expect((await shop.payment(id)).status).toBe('pending');

    two.suffer(null);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });

  test('that both fall silent miss nothing: what came meanwhile is paid when they answer again, and nothing expired', async () => {
    const [paid, unpaid] = [
      await shop.checkout('USDC', { expires_in: 600 }),
      await shop.checkout('USDC', { expires_in: 600 }),
    ];
    await shop.watch();
    one.suffer('connection_reset');
    two.suffer('http_500');
    await shop.sendUsdc(paid.amountUnits);
    await shop.pass(700);
    for (let turn = 0; turn < 3; turn++) await expect(shop.watch()).rejects.toThrow();
    await shop.expire();
    expect((await shop.payment(unpaid.id)).status).toBe('pending');

    one.suffer(null);
    two.suffer(null);
    cluster.finalize();
    await expect
      .poll(
        async () => {
          cluster.slots(1);
          await shop.watch().catch(() => {});
          await shop.expire();
          return [(await shop.payment(paid.id)).status, (await shop.payment(unpaid.id)).status];
        },
        { timeout: 20_000 },
      )
      .toEqual(['paid', 'expired']);
  });

  test('while the second is silent nothing that is pending expires', async () => {
    const { id } = await shop.checkout('USDC', { expires_in: 600 });
    await shop.watch();
    two.suffer('http_500');
    await shop.pass(700);
    cluster.finalize();
    await shop.watch().catch(() => {});
    await shop.expire();
    // One pass has read past it; the other has not.
    const status = (await shop.payment(id)).status;
    two.suffer(null);
    await shop.settle();
    await shop.settle();
    await shop.expire();
    expect([status, (await shop.payment(id)).status]).toEqual(['pending', 'expired']);
  });
});

test('a thousand slots that came without a reader are caught up within a minute, as gently as a public provider is asked, and every payment is found', async () => {
  await using shop = await startSolanaShop();
  const checkouts: SolanaCheckout[] = [];
  for (let at = 0; at < 20; at++) checkouts.push(await shop.checkout(at % 2 === 0 ? 'USDC' : 'SOL'));
  await shop.watch();
  for (const checkout of checkouts) {
    await (checkout.payment.asset === 'USDC' ? shop.sendUsdc : shop.sendSol)(checkout.amountUnits);
    shop.cluster.slots(49);
  }
  shop.cluster.finalize();
  await shop.app.ctx.db.query('test_release', `update chain_cursors set holder = null, lease_until = null`);

  const startedAtMs = performance.now();
  const watcher = createWatcher('after the outage');
  while ((await tick({ ...shop.ctx, chains: shop.app.ctx.chains }, 'solana', watcher)) === 'more');
  const seconds = (performance.now() - startedAtMs) / 1000;

  for (const { id } of checkouts) expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  expect(seconds).toBeLessThan(60);
  if (process.env.FIGURES) process.stdout.write(`1,000 slots on Solana: caught up in ${seconds.toFixed(2)} s\n`);
});

test(
  'watchers killed at any await while payments arrive: every payment ends right, once',
  async () => {
    await using shop = await startSolanaShop({ env: { RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT: '100000' } });
    const random = randomFrom(11);
    const checkouts: (SolanaCheckout & { hash: string })[] = [];
    const release = () =>
      shop.app.ctx.db.query('test_release', `update chain_cursors set holder = null, lease_until = null`);
    let killed = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      for (const payments = Math.round((PAYMENTS * (kill + 1)) / KILLS); checkouts.length < payments; ) {
        const checkout = await shop.checkout(random() < 0.5 ? 'USDC' : 'SOL');
        const send = checkout.payment.asset === 'USDC' ? shop.sendUsdc : shop.sendSol;
        const options = { close: random() < 0.7, ...(random() < 0.2 && { references: [checkout.reference] }) };
        checkouts.push({ ...checkout, hash: await send(checkout.amountUnits, options) });
      }
      if (random() < 0.5) shop.cluster.slots(1 + Math.floor(random() * 5));
      // Another process takes over each time, and dies between two statements or calls, or with the answer to one.
      await release();
      const crashable = createCrashable(1 + Math.floor(random() * 150));
      await tick(
        {
          ...shop.ctx,
          db: crashable.database(shop.ctx.db),
          chains: new Map([['solana', crashable.chain(shop.ctx.chains.get('solana') as Chain)]]),
        },
        'solana',
        createWatcher(`life ${kill}`),
      ).catch(() => {});
      killed += Number(crashable.isDead);
    }
    await release();
    await shop.settle();

    for (const checkout of checkouts) {
      expect(await shop.walk(checkout.id)).toEqual(['created', 'pending', 'paid']);
      expect((await shop.payment(checkout.id)).tx_hashes).toEqual([checkout.hash]);
    }
    expect(await shop.unattributed()).toEqual([]);
    if (process.env.FIGURES)
      process.stdout.write(
        `Solana: ${killed} of ${KILLS} watchers killed in the middle, ${checkouts.length} payments, all paid once\n`,
      );
  },
  60_000 + 10 * KILLS * 1_000,
);
