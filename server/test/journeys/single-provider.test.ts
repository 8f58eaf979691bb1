import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { startOfRounds } from '../../src/settlement/verification/rounds.ts';
import { verifyTransfers } from '../../src/settlement/verification/verify-transfers.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { recording } from '../support/recording.ts';
import { type Checkout, type Settlement, startSettlement } from '../support/settlement.ts';

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
  afterEach(() => {
    one.suffer(null);
    two.suffer(null);
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await Promise.all([one.stop(), two.stop(), chain.stop()]);
  });

  const ethereum = () => shop.ctx.chains.get('ethereum') as Chain;

  /** Runs the watcher once a minute, because a provider that is asked less often is not known to be unreachable. */
  async function watchFor(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await shop.pass(60);
      while ((await shop.watch()) === 'more');
    }
  }

  test('of which one fails every call: a small payment waits ten minutes, and says that only one provider could be asked', async () => {
    const { id, amountUnits } = await shop.checkout();
    await shop.send(amountUnits);
    two.suffer('http_500');
    await shop.settle();
    await watchFor(9);
    expect((await shop.payment(id)).status).toBe('pending');

    await watchFor(2);
    const payment = await shop.payment(id);
    expect(payment.status).toBe('paid');
    const { entries } = await shop.merchant.get(`/payments/${payment.id}/timeline`);
    const paid = entries.find((entry: { data: { status?: string } }) => entry.data.status === 'paid');
    const [name, other] = [new URL(one.url).host, new URL(two.url).host];
    expect(paid.data).toMatchObject({
      providers: [name],
      singleProvider: {
        provider: name,
        unreachable: { [other]: expect.stringMatching(/^20/) },
        usd: '49.01',
        hourTotalUsd: '49.01',
      },
    });
    expect(paid.summary).toBe(
      `The payment became paid. Only ${name} was available: every call to ${other} had failed since ` +
        `${paid.data.singleProvider.unreachable[other]}.`,
    );
    two.suffer(null);
    await shop.settle();
  });

  test('of which one answers once in a while: a small payment waits for it, however long', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    await shop.send(amountUnits);
    for (let round = 0; round < 3; round += 1) {
      two.suffer('http_500');
      await shop.settle();
      await watchFor(8);
      // It returns its head, and fails again before it is asked about the transfer.
      two.suffer(null);
      await expect
        .poll(async () => {
          await ethereum().head('second');
          return ethereum()
            .health()
            .providers.every(({ healthy }) => healthy);
        })
        .toBe(true);
    }
    two.suffer('http_500');
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('pending');
    two.suffer(null);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  /** The service while one provider leaves a transaction out of everything that is read from it. */
  function leavingOut(provider: string, txHash: string, real = ethereum()): Context {
    const read: Chain['read'] = async (step) => {
      const reading = await real.read(step);
      return reading.provider === provider
        ? { ...reading, transfers: reading.transfers.filter((transfer) => transfer.txHash !== txHash) }
        : reading;
    };
    return { ...shop.ctx, chains: new Map([['ethereum', { ...real, read }]]) };
  }

  test('of which one leaves a transfer out while the other fails: the payment expires, and is paid once the other answers, by whichever process', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    await shop.settle();
    const txHash = await shop.send(amountUnits);
    const liar = new URL(one.url).host;
    const watchAndExpire = async (ctx: Context, minutes: number) => {
      const watcher = createWatcher('half blind');
      for (let minute = 0; minute < minutes; minute += 1) {
        await shop.pass(60);
        while ((await tick(ctx, 'ethereum', watcher)) === 'more');
      }
      await shop.expire();
    };
    await shop.passLease();

    two.suffer('http_500');
    await watchAndExpire(leavingOut(liar, txHash), 12);
    expect((await shop.payment(id)).status).toBe('expired');

    // A new process whose first pass would read from the honest provider.
    two.suffer(null);
    await using stack = new AsyncDisposableStack();
    const restarted = createEvmChain(
      {
        network: 'ethereum',
        rpcUrls: [two.url, one.url],
        chainId: chain.chainId,
        tokens: { USDC: shop.usdc },
      },
      pino({ level: 'silent' }),
    );
    stack.defer(() => restarted.close());
    await shop.passLease();
    await watchAndExpire(leavingOut(liar, txHash, restarted), 2);
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'paid']);
    await shop.passLease();
  });

  test('of which one lags: a small payment waits for it, however long, and an alarm says so', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    const txHash = await shop.send(amountUnits);
    two.suffer('stale_head');
    await shop.settle();
    await watchFor(20);
    expect((await shop.payment(id)).status).toBe('pending');
    expect(lines.filter((line) => line.alarm === 'verification_waits' && line.txHash === txHash)).toHaveLength(1);
    two.suffer(null);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('of which one fails every call: a payment of 1,000 waits for it, however long', async () => {
    const { id, amountUnits } = await shop.checkout({ amount: '1000.00', expires_in: 86_400 });
    two.suffer('http_500');
    await shop.send(amountUnits);
    await shop.settle();
    await watchFor(15);
    expect((await shop.payment(id)).status).toBe('pending');
    two.suffer(null);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('of which one fails every call: no more than the cap is settled within an hour, by however many processes', async () => {
    await shop.pass(3_600);
    const checkouts: Checkout[] = [];
    for (let at = 0; at < 5; at += 1) checkouts.push(await shop.checkout({ amount: '900.00', expires_in: 86_400 }));
    two.suffer('http_500');
    await shop.settle();
    await watchFor(11);
    for (const { amountUnits } of checkouts) await shop.send(amountUnits);
    await shop.chain.mine(4);
    await shop.watch();
    // Two processes that hold the same transfers: one that lost its lease continues with what it had read.
    const head = await ethereum().head('first');
    await Promise.all(
      [1, 2, 3].map(() =>
        verifyTransfers(
          shop.ctx,
          ethereum(),
          { head, watching: { addresses: new Set([shop.wallet]) }, forkedAt: null },
          startOfRounds(),
        ),
      ),
    );
    const statuses = async () => Promise.all(checkouts.map(async ({ id }) => (await shop.payment(id)).status));
    expect((await statuses()).sort()).toEqual(['paid', 'paid', 'pending', 'pending', 'pending']);

    await watchFor(50);
    expect((await statuses()).filter((status) => status === 'paid')).toHaveLength(2);
    // The hour of the first two has passed.
    await watchFor(15);
    expect((await statuses()).filter((status) => status === 'paid')).toHaveLength(4);
    two.suffer(null);
    await shop.settle();
    expect((await statuses()).filter((status) => status === 'paid')).toHaveLength(5);
  }, 60_000);

  test('of which one fails every call: nothing is settled by the other where the cap is 0', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 86_400 });
    const ctx = { ...shop.ctx, config: { ...shop.ctx.config, singleProviderUsdPerHour: 0 } };
    await shop.pass(3_600);
    const watcher = createWatcher('without alone');
    two.suffer('http_500');
    await shop.send(amountUnits);
    for (let minute = 0; minute < 15; minute += 1) {
      await shop.pass(60);
      await shop.chain.mine(4);
      await tick(ctx, 'ethereum', watcher);
    }
    expect((await shop.payment(id)).status).toBe('pending');
    two.suffer(null);
    await tick(ctx, 'ethereum', watcher);
    await expect
      .poll(async () => {
        await tick(ctx, 'ethereum', watcher);
        return (await shop.payment(id)).status;
      })
      .toBe('paid');
    await shop.passLease();
  });
});
