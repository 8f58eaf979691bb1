import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type InventingRpc, startInventingRpc } from '../support/evm-invented-future.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { recording } from '../support/recording.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';
import { startSolana, type TestSolana } from '../support/solana/index.ts';
import { type InventingSolanaRpc, startInventingSolanaRpc } from '../support/solana/invented-future.ts';
import { type SolanaRpcProxy, startSolanaRpcProxy } from '../support/solana/rpc-proxy.ts';
import { type SolanaShop, startSolanaShop } from '../support/solana/shop.ts';

const MINUTES = 12;

describe('two Ethereum providers, one of them 900 blocks ahead with an invented payment', () => {
  let chain: TestChain;
  let liar: InventingRpc;
  let honest: RpcProxy;
  let shop: Settlement;

  // Each test moves the time of its own shop: cursors that are an hour old are another story.
  beforeEach(async () => {
    chain = await startAnvil();
    [liar, honest] = [await startInventingRpc(chain.url), await startRpcProxy(chain.url)];
    shop = await startSettlement({ chain, env: { RPC_ETHEREUM_URLS: `${liar.url},${honest.url}` } });
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
    await Promise.all([liar.stop(), honest.stop(), chain.stop()]);
  });

  test('the invented payment stays pending for as long as the honest provider answers', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    await shop.settle();
    const { txHash } = await liar.invent({ token: shop.usdc, to: shop.wallet, amountUnits });
    for (let minute = 0; minute < MINUTES; minute += 1) {
      await shop.pass(60);
      await shop.watch();
    }
    expect((await shop.publicSession(id)).payment.amount_seen).not.toBe('0.000000');
    expect(txHash).toMatch(/^0x/);
    expect(await shop.walk(id)).toEqual(['created', 'pending']);
  });

  /** The number of the last block that a pass has read, and whether it is on the real chain. */
  async function cursor(pass: 'first' | 'second'): Promise<{ number: bigint; isReal: boolean }> {
    const [row] = await shop.ctx.db.query<{ blockNumber: bigint; blockHash: string }>(
      'test_cursor_of',
      `
      select block_number, block_hash from chain_cursors where network = 'ethereum' and pass = $1`,
      [pass],
    );
    const block = await chain.rpc<{ hash: string } | null>('eth_getBlockByNumber', [
      `0x${(row?.blockNumber ?? 0n).toString(16)}`,
      false,
    ]);
    return { number: row?.blockNumber ?? 0n, isReal: block?.hash === row?.blockHash };
  }

  /** The service with one pass whose provider omits a transaction. */
  function blindIn(pass: 'first' | 'second', txHash: () => string): Context {
    const real = shop.ctx.chains.get('ethereum') as Chain;
    const read: Chain['read'] = async (step) => {
      const reading = await real.read(step);
      return step.pass === pass
        ? { ...reading, transfers: reading.transfers.filter((transfer) => transfer.txHash !== txHash()) }
        : reading;
    };
    return { ...shop.ctx, chains: new Map([['ethereum', { ...real, read }]]) };
  }

  async function watchFor(ctx: Context, minutes: number): Promise<void> {
    const watcher = createWatcher('test of cursors');
    await shop.passLease();
    for (let minute = 0; minute < minutes; minute += 1) {
      await shop.pass(60);
      await tick(ctx, 'ethereum', watcher).catch(() => {});
    }
    await shop.passLease();
  }

  test('a pass that followed the liar comes back to the real chain once the liar is gone, and reads every block of it', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    await shop.settle();
    await liar.invent({ token: shop.usdc, to: shop.wallet, amountUnits: 1n });
    const txHash = await shop.send(amountUnits);
    const ctx = blindIn('second', () => txHash);
    await watchFor(ctx, 2);
    expect(await cursor('first')).toMatchObject({ isReal: false });
    expect(await cursor('second')).toMatchObject({ isReal: true });
    expect((await shop.publicSession(id)).payment.amount_seen).toBe('0.000000');

    liar.suffer('http_500');
    await watchFor(ctx, 3);
    expect(await cursor('first')).toMatchObject({ isReal: true });
    expect((await shop.publicSession(id)).payment.amount_seen).not.toBe('0.000000');
    await watchFor(ctx, 12);
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    liar.suffer(null);
  });

  test('a second pass that has only the liar waits, and reads every block as soon as the honest provider answers, though the liar goes on', async () => {
    await shop.checkout({ expires_in: 86_400 });
    await watchFor(shop.ctx, 2);
    await liar.invent({ token: shop.usdc, to: shop.wallet, amountUnits: 1n });
    honest.suffer('http_500');
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    await shop.send(amountUnits);
    await watchFor(shop.ctx, 4);
    expect(await cursor('first')).toMatchObject({ isReal: false });
    expect(await cursor('second')).toMatchObject({ isReal: true });

    honest.suffer(null);
    await watchFor(shop.ctx, 3);
    expect(await cursor('second')).toMatchObject({ isReal: true });
    // The liar has another branch there, so the payment is seen and waits.
    expect((await shop.publicSession(id)).payment.amount_seen).not.toBe('0.000000');
    expect(await shop.walk(id)).toEqual(['created', 'pending']);
  });
});

describe('two Ethereum providers on a network with a usual block time', () => {
  // Manually mined blocks are ahead of real time by less than this.
  const MARGIN_MS = 120_000;
  let passedMs = 0;
  const nowMs = () => Date.now() + passedMs + MARGIN_MS;
  beforeEach(() => {
    passedMs = 0;
  });

  test('a head that jumps 900 blocks is not followed: the other provider is asked, and an alarm says so', async () => {
    const lines: Record<string, unknown>[] = [];
    await using chain = await startAnvil();
    await using liar = await startInventingRpc(chain.url);
    await using honest = await startRpcProxy(chain.url);
    await using shop = await startSettlement({
      chain,
      env: { RPC_ETHEREUM_URLS: `${liar.url},${honest.url}` },
      overrides: { log: recording(lines) },
      tuning: { usualBlockMs: 12_000, nowMs },
    });
    const [forged, real] = [await shop.checkout({ expires_in: 86_400 }), await shop.checkout({ expires_in: 86_400 })];
    await shop.settle();
    await liar.invent({ token: shop.usdc, to: shop.wallet, amountUnits: forged.amountUnits }, { secondsPerBlock: 0 });
    await shop.send(real.amountUnits);
    for (let minute = 0; minute < MINUTES; minute += 1) {
      await shop.pass(60);
      passedMs += 60_000;
      await shop.watch();
    }
    expect((await shop.publicSession(forged.id)).payment.amount_seen).toBe('0.000000');
    expect(await shop.walk(forged.id)).toEqual(['created', 'pending']);
    // The liar still answers other calls, so it is not unreachable, and a real payment waits.
    expect(await shop.walk(real.id)).toEqual(['created', 'pending']);
    expect(lines.filter((line) => line.alarm === 'implausible_head')).toMatchObject([
      { provider: new URL(liar.url).host },
    ]);

    liar.suffer('http_500');
    for (let minute = 0; minute < MINUTES; minute += 1) {
      await shop.pass(60);
      passedMs += 60_000;
      await shop.watch().catch(() => {});
    }
    expect(await shop.walk(real.id)).toEqual(['created', 'pending', 'paid']);
  });

  test('a block that is dated in the future is not followed', async () => {
    await using chain = await startAnvil();
    await using liar = await startInventingRpc(chain.url);
    await using honest = await startRpcProxy(chain.url);
    await using shop = await startSettlement({
      chain,
      env: { RPC_ETHEREUM_URLS: `${liar.url},${honest.url}` },
      tuning: { usualBlockMs: 12_000, nowMs },
    });
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    await shop.settle();
    await liar.invent({ token: shop.usdc, to: shop.wallet, amountUnits }, { blocks: 20, secondsPerBlock: 60 });
    await shop.watch();
    expect((await shop.publicSession(id)).payment.amount_seen).toBe('0.000000');
    expect(shop.ctx.chains.get('ethereum')?.health().providers[0]).toMatchObject({
      healthy: false,
      lastError: expect.stringContaining('in the future'),
    });
  });
});

test('three Ethereum providers, one of them 900 blocks ahead: a real payment is paid by the two others, an invented one is dropped', async () => {
  await using chain = await startAnvil();
  await using liar = await startInventingRpc(chain.url);
  await using one = await startRpcProxy(chain.url);
  await using two = await startRpcProxy(chain.url);
  await using shop = await startSettlement({
    chain,
    env: { RPC_ETHEREUM_URLS: [liar, one, two].map(({ url }) => url).join(',') },
  });
  const [forged, real] = [
    await shop.checkout({ expires_in: 86_400 }),
    await shop.checkout({ amount: '5000.00', expires_in: 86_400 }),
  ];
  await shop.settle();
  await liar.invent({ token: shop.usdc, to: shop.wallet, amountUnits: forged.amountUnits }, { blocks: 900 });
  await shop.pass(60);
  await shop.watch();
  expect((await shop.publicSession(forged.id)).payment.amount_seen).not.toBe('0.000000');

  await shop.send(real.amountUnits);
  for (let minute = 0; minute < 5; minute += 1) {
    await shop.pass(60);
    await shop.watch();
  }
  expect(await shop.walk(real.id)).toEqual(['created', 'pending', 'paid']);
  const { entries } = await shop.merchant.get(`/payments/${(await shop.payment(real.id)).id}/timeline`);
  const paid = entries.find((entry: { data: { status?: string } }) => entry.data.status === 'paid');
  expect(paid.data.providers.sort()).toEqual([one, two].map(({ url }) => new URL(url).host).sort());
  expect(paid.data.singleProvider).toBeUndefined();

  await chain.mine(500);
  await shop.watch();
  await shop.watch();
  expect((await shop.publicSession(forged.id)).payment.amount_seen).toBe('0.000000');
  expect(await shop.walk(forged.id)).toEqual(['created', 'pending']);
});

test('three Ethereum providers, one of which names a head that no other has and serves no block of it: payments are paid', async () => {
  await using chain = await startAnvil();
  await using liar = await startRpcProxy(chain.url);
  await using one = await startRpcProxy(chain.url);
  await using two = await startRpcProxy(chain.url);
  await using shop = await startSettlement({
    chain,
    env: { RPC_ETHEREUM_URLS: [liar, one, two].map(({ url }) => url).join(',') },
  });
  const payment = await shop.checkout({ expires_in: 86_400 });
  await shop.settle();
  liar.suffer('invented_head');
  await shop.watch();
  await shop.send(payment.amountUnits);
  for (let minute = 0; minute < 5; minute += 1) {
    await shop.pass(60);
    await shop.watch();
  }
  expect(await shop.walk(payment.id)).toEqual(['created', 'pending', 'paid']);
});

describe('two Solana providers, one of them 900 slots ahead with an invented payment', () => {
  let cluster: TestSolana;
  let liar: InventingSolanaRpc;
  let honest: SolanaRpcProxy;
  let shop: SolanaShop;

  beforeAll(async () => {
    cluster = await startSolana();
    [liar, honest] = [await startInventingSolanaRpc(cluster.url), await startSolanaRpcProxy(cluster.url)];
    shop = await startSolanaShop({ cluster, rpcUrls: [liar.url, honest.url] });
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await Promise.all([liar.stop(), honest.stop(), cluster.stop()]);
  });

  test('the invented payment stays pending, and is dropped by both passes once the liar is gone', async () => {
    const { id, amountUnits } = await shop.checkout('SOL', { expires_in: 86_400 });
    await shop.settle();
    await liar.invent({ to: shop.wallet.address, amount: amountUnits });
    for (let minute = 0; minute < MINUTES; minute += 1) {
      await shop.pass(60);
      await shop.watch();
    }
    expect((await shop.publicSession(id)).payment.amount_seen).not.toBe('0.000000000');
    expect(await shop.walk(id)).toEqual(['created', 'pending']);

    const isReal = async (pass: string) => {
      const [row] = await shop.ctx.db.query<{ blockNumber: bigint; blockHash: string }>(
        'test_slot_of',
        `
        select block_number, block_hash from chain_cursors where network = 'solana' and pass = $1`,
        [pass],
      );
      return (await shop.ctx.chains.get('solana')?.block(row?.blockNumber ?? 0n, 'second'))?.hash === row?.blockHash;
    };
    expect(await isReal('first')).toBe(false);
    const real = await shop.checkout('SOL', { expires_in: 86_400 });
    await shop.sendSol(real.amountUnits);
    liar.suffer('http_500');
    for (let minute = 0; minute < 15; minute += 1) {
      await shop.pass(60);
      cluster.finalize();
      await shop.watch().catch(() => {});
    }
    expect([await isReal('first'), await isReal('second')]).toEqual([true, true]);
    expect(await shop.walk(real.id)).toEqual(['created', 'pending', 'paid']);

    cluster.slots(900);
    for (let minute = 0; minute < 15; minute += 1) {
      await shop.pass(60);
      await shop.watch().catch(() => {});
    }
    expect((await shop.publicSession(id)).payment.amount_seen).toBe('0.000000000');
    expect(await shop.walk(id)).toEqual(['created', 'pending']);
  });
});
